import { h } from './dom.js'
import { apart } from './names.js'
import { policyText } from './policies.js'
import { count, filled, language, pluralForm, t } from './text.js'

// Texts for the broker's reason codes, in English and German. {name} is a value of the reason,
// {parts} its nested reasons, {text} a plugin's own words.
export const reasons = {
  albumUnnamed: ['Say which album is meant.', 'Es fehlt, welches Album gemeint ist.'],
  albumUntitled: ['A new album needs a title.', 'Ein neues Album braucht einen Titel.'],
  albumTitle: ['A title has at most {limit} bytes, which are about as many letters, something that can be seen, and no control characters.', 'Ein Titel hat höchstens {limit} Byte, das sind etwa so viele Buchstaben, etwas, das man sieht, und keine Steuerzeichen.'],
  albumFull: ['An album holds at most {limit} photos.', 'Ein Album fasst höchstens {limit} Fotos.'],
  selectorEmpty: ['Nothing is chosen.', 'Es ist nichts ausgewählt.'],
  selectsNothing: ['No photo fits this choice, so nothing was decided and the question still waits. Select others.', 'Auf diese Auswahl passt kein Foto; es wurde nichts entschieden, und die Frage wartet weiter. Wählen Sie andere aus.'],
  lastNegative: ['A number of photos is 0 or more.', 'Eine Anzahl von Fotos ist 0 oder größer.'],
  cursorForeign: ['The list changed meanwhile; open it again.', 'Die Liste hat sich inzwischen geändert; öffnen Sie sie neu.'],
  assetTwice: ['A photo is chosen twice.', 'Ein Foto ist doppelt ausgewählt.'],
  pickerFull: ['At most {limit} can be picked here; pick fewer.', 'Hier lassen sich höchstens {limit} auswählen; nehmen Sie weniger.'],
  pickerTakesNot: ['The app does not take all of these: mind what it asks for, and what is never shared.', 'Die App nimmt nicht alle davon: Achten Sie auf die gewünschte Art und darauf, was nie geteilt wird.'],
  alreadyOwn: ['This library is your own; your programs know of it anyway.', 'Das ist Ihre eigene Mediathek; Ihre Programme kennen sie ohnehin.'],
  offeredToTooMany: ['A library is offered to at most {limit} users; leave some out.', 'Eine Mediathek wird höchstens {limit} Benutzern angeboten; lassen Sie einige weg.'],
  nothingToOffer: ['Nothing was changed about whom it is offered to.', 'Daran, wem sie angeboten wird, wurde nichts geändert.'],
  userDeclined: ['You decline whatever user {user} offers. Accept that again first.', 'Sie lehnen alles ab, was Benutzer {user} anbietet. Nehmen Sie das zuerst wieder an.'],
  declinesTooMany: ['You can decline the offers of at most {limit} users. Accept those of one again first.', 'Sie können die Angebote von höchstens {limit} Benutzern ablehnen. Nehmen Sie zuerst die eines anderen wieder an.'],
  acceptedTooOften: ['You can accept what is offered of one library {limit} times an hour at most. You can decline it at any time.', 'Sie können das Angebot einer Mediathek höchstens {limit}-mal in der Stunde annehmen. Ablehnen können Sie es jederzeit.'],
  answersWait: ['Too many of your answers wait for the broker’s disk. Try again in a moment.', 'Zu viele Ihrer Antworten warten auf die Festplatte des Brokers. Versuchen Sie es gleich noch einmal.'],
  nothingToApply: ['There is nothing to apply.', 'Es gibt nichts anzuwenden.'],
  applyingTooMany: ['At most {limit} are applied together; split them.', 'Auf einmal gehen höchstens {limit}; teilen Sie sie auf.'],
  entryTwice: ['The same access is named twice.', 'Derselbe Zugriff ist doppelt genannt.'],
  outcomeChanged: ['By now this would come to something else than the preview showed. Nothing was applied; look at it anew.', 'Inzwischen käme etwas anderes heraus, als die Vorschau zeigte. Es wurde nichts angewendet; sehen Sie es neu an.'],
  nothingToSet: ['Nothing was changed.', 'Es wurde nichts geändert.'],
  noSelection: ['There is no selection to edit (now: {status}). Limit the app to selected photos first.', 'Es gibt keine Auswahl zu bearbeiten (jetzt: {status}). Beschränken Sie die App zuerst auf ausgewählte Fotos.'],
  noAccess: ['There is no access to set anything of (now: {status}). Allow it first, all photos or selected ones.', 'Es gibt keinen Zugriff, an dem etwas einzustellen wäre (jetzt: {status}). Erlauben Sie ihn zuerst, auf alle oder ausgewählte Fotos.'],
  limitedAdding: ['Adding is allowed or not; there is no selection for it.', 'Hinzufügen ist erlaubt oder nicht; eine Auswahl gibt es dafür nicht.'],
  endsInPast: ['That end lies in the past. Revoke the access to end it now.', 'Dieses Ende liegt in der Vergangenheit. Entziehen Sie den Zugriff, um ihn jetzt zu beenden.'],
  policyName: ['This is no album policy’s name.', 'So heißt keine Albenregel.'],
  policyUnusable: ['The album policy “{policy}” cannot be used here.', 'Die Albenregel „{policy}“ ist hier nicht verwendbar.'],
  ownersDeny: ['Only the owner denies; as administrator, restrict.', 'Ablehnen kann nur der Eigentümer; als Verwalter schränken Sie ein.'],
  ruleTwice: ['The rule “{rule}” is there twice.', 'Die Regel „{rule}“ ist doppelt da.'],
  ruleName: ['A rule’s name has letters a to z, digits and hyphens, and starts with a letter.', 'Der Name einer Regel hat Buchstaben von a bis z, Ziffern und Bindestriche und beginnt mit einem Buchstaben.'],
  ruleLimitedAdding: ['For adding, the rule “{rule}” can only allow or deny.', 'Für das Hinzufügen kann die Regel „{rule}“ nur erlauben oder ablehnen.'],
  ruleSelectsNot: ['Only a rule that shows a selection selects photos; “{rule}” does not.', 'Nur eine Regel, die eine Auswahl zeigt, wählt Fotos aus; „{rule}“ tut das nicht.'],
  ruleSelectsNothing: ['The rule “{rule}” must say which photos it selects.', 'Die Regel „{rule}“ muss sagen, welche Fotos sie auswählt.'],
  ruleChoices: ['At most {limit} choices of photos are possible here.', 'Hier sind höchstens {limit} Angaben zu Fotos möglich.'],
  ruleLifetime: ['What a rule allows lasts 1 to {limit} seconds.', 'Was eine Regel erlaubt, gilt 1 bis {limit} Sekunden.'],
  tooManyRules: ['A library has at most {limit} rules; remove some first.', 'Eine Mediathek hat höchstens {limit} Regeln; entfernen Sie zuerst einige.'],
  ruleByName: ['A rule chooses by folder, date, name, kind, favourites or number, not single photos, albums or other marks.', 'Eine Regel wählt nach Ordner, Datum, Name, Art, Favoriten oder Anzahl, keine einzelnen Fotos, Alben oder anderen Kennzeichen.'],
  wordsChanged: ['The app has changed what it says of itself since you read this. Nothing was decided; read it again.', 'Die App hat geändert, was sie über sich sagt, seit Sie das gelesen haben. Es wurde nichts entschieden; lesen Sie es noch einmal.'],
  answersOnly: ['This question is not answered like that.', 'So lässt sich diese Frage nicht beantworten.'],
  revokeWhat: ['Say what is to be revoked.', 'Es fehlt, was entzogen werden soll.'],
  accessorAlone: ['A token is revoked by itself alone.', 'Ein Schlüssel wird für sich allein widerrufen.'],
  noPreview: ['Only a video can be played.', 'Nur ein Video lässt sich abspielen.'],

  tokenRevoked: ['A revoked token never comes back; the app gets a new one when it asks.', 'Ein widerrufener Schlüssel kommt nicht zurück; die App bekommt einen neuen, wenn sie fragt.'],
  accessErased: ['What was known of the app’s access was erased with it. Decide anew when it asks.', 'Was über den Zugriff der App bekannt war, wurde mit ihr gelöscht. Entscheiden Sie neu, wenn sie fragt.'],
  pickOver: ['What was picked was given already.', 'Was ausgewählt wurde, ist schon übergeben.'],
  setUp: ['The setup of a library is not taken back; set it up again as it was.', 'Die Einrichtung einer Mediathek wird nicht zurückgenommen; richten Sie sie wieder ein, wie sie war.'],
  notedOnly: ['It only notes that an app did not say why it asks; nothing was changed.', 'Hier steht nur, dass eine App nicht sagte, wozu sie fragt; geändert wurde nichts.'],
  restoredPause: ['It paused what a restored state would have given back. Resume what is still meant.', 'Hier wurde angehalten, was ein wiederhergestellter Stand zurückgegeben hätte. Setzen Sie fort, was noch gelten soll.'],
  restoredMarks: ['It says what cannot be known, and changed nothing. Mark what is missing.', 'Hier steht, was sich nicht wissen lässt; geändert wurde nichts. Markieren Sie, was fehlt.'],
  keptNothing: ['It is too old to be taken back, or changed nothing. Decide anew.', 'Das ist zu alt, um zurückgenommen zu werden, oder hat nichts geändert. Entscheiden Sie neu.'],
  appForgotten: ['The app was forgotten, so nothing can be given back to it. It asks again as a new one.', 'Die App wurde vergessen, also lässt sich ihr nichts zurückgeben. Sie fragt als neue wieder.'],
  appErased: ['The app was forgotten already.', 'Die App wurde schon vergessen.'],
  tokenOver: ['That token is refused already.', 'Dieser Schlüssel wird schon abgewiesen.'],
  wouldHaveEnded: ['What it ended would be over by now anyway. Decide anew.', 'Was es beendete, wäre inzwischen ohnehin vorbei. Entscheiden Sie neu.'],
  movedOn: ['This cannot be taken back any more, because since then {parts}. Take the later decisions back first, or decide anew.', 'Das lässt sich nicht mehr zurücknehmen, denn seither gilt: {parts}. Nehmen Sie zuerst die späteren Entscheidungen zurück, oder entscheiden Sie neu.'],
  hasUses: ['This cannot be taken back any more, because since then {parts}. Removing it in a terminal takes all of that away.', 'Das lässt sich nicht mehr zurücknehmen, denn seither gilt: {parts}. Entfernen im Terminal nimmt all das mit.'],
  statusMoved: ['the access is another one ({status})', 'der Zugriff ist ein anderer ({status})'],
  isPaused: ['it is paused', 'er ist pausiert'],
  wasResumed: ['it was resumed', 'er wurde fortgesetzt'],
  endMoved: ['its end is another one', 'er endet zu einer anderen Zeit'],
  albumsMoved: ['its albums are others ({policy})', 'seine Alben sind andere ({policy})'],
  selectionMoved: ['the selection was edited', 'die Auswahl wurde bearbeitet'],
  decidedAgain: ['the same was decided again (decision {decision})', 'dasselbe wurde neu entschieden (Entscheidung {decision})'],
  decisionComing: ['another decision is on its way', 'eine andere Entscheidung ist unterwegs'],
  offerMoved: ['it was offered to others', 'sie wurde anderen angeboten'],
  ownersMoved: ['its owners are others', 'ihre Eigentümer sind andere'],
  seeingMoved: ['what administrators see was decided again', 'was Verwalter sehen, wurde neu entschieden'],
  decidingMoved: ['what administrators decide was decided again', 'was Verwalter entscheiden, wurde neu entschieden'],
  originalsMoved: ['whether originals are shared was decided again', 'ob Originale geteilt werden, wurde neu entschieden'],
  deletionsMoved: ['whether apps delete photos was decided again', 'ob Apps Fotos löschen, wurde neu entschieden'],
  ruleGone: ['the rule is gone', 'die Regel gibt es nicht mehr'],
  ruleEdited: ['the rule “{rule}” was edited', 'die Regel „{rule}“ wurde geändert'],
  administratorsMoved: ['other administrators were named', 'andere Verwalter wurden benannt'],
  marksMoved: ['marks of these photos were changed', 'Markierungen dieser Fotos wurden geändert'],
  albumGone: ['the album was deleted', 'das Album wurde gelöscht'],
  albumBack: ['the album is there again', 'das Album ist wieder da'],
  albumRetitled: ['it has another title', 'es hat einen anderen Titel'],
  albumShared: ['it was shared', 'es wurde geteilt'],
  albumUnshared: ['it is shared no longer', 'es wird nicht mehr geteilt'],
  albumMembersMoved: ['its photos were changed', 'seine Fotos wurden geändert'],
  accessDecided: ['access to it was decided', 'über den Zugriff wurde entschieden'],
  appAsks: ['an app asks for access', 'eine App fragt nach Zugriff'],
  hasRules: ['it has rules', 'sie hat Regeln'],
  hasCoOwners: ['it has co-owners', 'sie hat Miteigentümer'],
  hasAlbums: ['it has albums', 'sie hat Alben'],
  appsAdded: ['apps added photos to it', 'Apps haben Fotos hinzugefügt'],
  pickersGave: ['photos of it were picked for apps', 'Fotos wurden für Apps ausgewählt'],
  photosMarked: ['photos in it were marked or deleted', 'Fotos darin wurden markiert oder gelöscht'],
  appRuns: ['the app runs', 'die App läuft'],

  ownersOnly: ['Only the library’s owner may do this; an administrator can restrict, pause and revoke.', 'Das darf nur der Eigentümer der Mediathek; ein Verwalter kann einschränken, pausieren und entziehen.'],
  administratorsNarrow: ['An administrator can only take access away; the owner gives it.', 'Ein Verwalter kann Zugriff nur wegnehmen; geben kann ihn der Eigentümer.'],
  administratorsBlind: ['An administrator sees no photos of others, unless their owner allows that.', 'Ein Verwalter sieht keine Fotos anderer, außer deren Eigentümer erlaubt es.'],
  administratorsRestrict: ['Only an administrator restricts; as the owner, deny.', 'Einschränken kann nur ein Verwalter; als Eigentümer lehnen Sie ab.'],
  restrictsOnly: ['An administrator’s rules only restrict; the owner makes the others.', 'Regeln eines Verwalters schränken nur ein; die anderen macht der Eigentümer.'],
  foreignRule: ['This rule is for who decides in the library to change.', 'Diese Regel kann nur ändern, wer in der Mediathek entscheidet.'],
  registrarsOnly: ['Only who registered the app can take that back. Revoke its access instead.', 'Das kann nur zurücknehmen, wer die App eingetragen hat. Entziehen Sie ihr stattdessen den Zugriff.'],

  notKept: ['The broker’s disk did not keep it, so nothing was changed. Make room there and try again.', 'Die Festplatte des Brokers hat es nicht behalten, also wurde nichts geändert. Schaffen Sie dort Platz und versuchen Sie es noch einmal.'],
  narrowedNotKept: ['Access is gone now, but the broker’s disk did not keep that: it is back when the broker restarts. Make room there and repeat.', 'Der Zugriff ist jetzt weg, aber die Festplatte des Brokers hat das nicht behalten: Nach einem Neustart ist er wieder da. Schaffen Sie dort Platz und wiederholen Sie es.'],
  decisionDamaged: ['What this decision changed cannot be read any more. Decide anew.', 'Was diese Entscheidung änderte, ist nicht mehr lesbar. Entscheiden Sie neu.'],
  notRead: ['The broker could not read its state. Try again in a moment.', 'Der Broker konnte seinen Stand nicht lesen. Versuchen Sie es gleich noch einmal.'],
  keysBroken: ['The broker’s keys or its cryptographic library do not work; photobroker doctor says more.', 'Die Schlüssel des Brokers oder seine Kryptobibliothek arbeiten nicht; photobroker doctor sagt mehr.'],

  storageOffline: ['The storage cannot be reached: {text}', 'Der Speicher ist nicht erreichbar. Er sagt dazu: {text}'],
  storageNotFound: ['The storage does not find it: {text}', 'Der Speicher findet es nicht. Er sagt dazu: {text}'],
  storageReadOnly: ['The storage takes no changes: {text}', 'Der Speicher nimmt keine Änderungen an. Er sagt dazu: {text}'],
  storageFull: ['The storage is full: {text}', 'Der Speicher ist voll. Er sagt dazu: {text}'],
  storageUnsupported: ['The storage cannot do this as it is set up: {text}', 'So eingerichtet kann der Speicher das nicht. Er sagt dazu: {text}'],
  restoredAnother: ['The storage brought back another file, which had the same name in the same folder. The photo itself is still in its trash.', 'Der Speicher hat eine andere Datei zurückgebracht, die im selben Ordner denselben Namen hatte. Das Foto selbst liegt noch in seinem Papierkorb.'],
  storageFailed: ['The storage failed: {text}', 'Der Speicher hat einen Fehler. Er sagt dazu: {text}'],
  storageSays: ['The storage says: {text}', 'Der Speicher sagt: {text}'],
  otherVolume: ['Another folder or disk is in the place of the library’s, or its disk is away. Put it back. If it is gone for good, remove the library and add it anew.', 'Am Ort der Mediathek liegt ein anderer Ordner oder Datenträger, oder ihr Datenträger ist nicht da. Schließen Sie ihn wieder an. Ist er endgültig weg, entfernen Sie die Mediathek und fügen Sie sie neu hinzu.'],
  folderClosed: ['The library’s folder cannot be opened. Is it there, and may the broker’s user read it?', 'Der Ordner der Mediathek lässt sich nicht öffnen. Gibt es ihn, und darf der Benutzer des Brokers ihn lesen?'],
  folderForeign: ['The library’s folder is not there, or does not belong to its owner, user {user}.', 'Den Ordner der Mediathek gibt es nicht, oder er gehört nicht ihrem Eigentümer, Benutzer {user}.'],
  folderReplaced: ['The library’s folder is away, or in its place is one that does not belong to its owner, user {user}. Its disk may be away: connect it again. Else have the folder belong to that user again.', 'Der Ordner der Mediathek ist nicht da, oder an seinem Ort liegt einer, der nicht ihrem Eigentümer gehört, Benutzer {user}. Vielleicht ist ihr Datenträger nicht da: Schließen Sie ihn wieder an. Sonst muss der Ordner wieder diesem Benutzer gehören.'],
  addFolderForeign: ['What apps add would go to another user’s folder. Name one that lies in none.', 'Was Apps hinzufügen, käme in den Ordner eines anderen Benutzers. Wählen Sie einen, der in keinem liegt.'],
  folderBrokers: ['The library’s folder is one of the broker’s own, lies in one or has one in it. Choose another folder.', 'Der Ordner der Mediathek gehört dem Broker selbst, liegt in einem solchen oder enthält einen. Wählen Sie einen anderen Ordner.'],
  folderElsewhere: ['The storage “{storage}” serves a folder that lies in none of its options’ paths. Do not use it before you know why.', 'Der Speicher „{storage}“ gibt einen Ordner an, der in keinem der eingestellten Pfade liegt. Verwenden Sie ihn nicht, bevor Sie wissen, warum.'],
  storageForeign: ['Libraries on the storage “{storage}” are for root and the broker’s own user, unless root opens it to all.', 'Mediatheken auf dem Speicher „{storage}“ sind root und dem Benutzer des Brokers vorbehalten, solange root ihn nicht für alle öffnet.'],
  pluginDisabled: ['The plugin “{plugin}” is disabled.', 'Die Erweiterung „{plugin}“ ist abgeschaltet.'],
  stateNotRead: ['The broker could not read what it knows of this library.', 'Der Broker konnte nicht lesen, was er über diese Mediathek weiß.'],
  stateNotWritten: ['The broker’s disk is full or does not work; make room there.', 'Die Festplatte des Brokers ist voll oder arbeitet nicht; schaffen Sie dort Platz.'],
  photosWait: { one: ['{count} new photo is not taken up: there is room for {limit} photos of all users, and one user’s libraries have no more of them than are left for all others. What is known stays. Remove a library that you do not use, or ask whoever runs the machine for more room.', '{count} neues Foto wird nicht aufgenommen: Es ist Platz für {limit} Fotos aller Benutzer, und die Mediatheken eines Benutzers haben davon nie mehr, als für alle anderen übrig sind. Was bekannt ist, bleibt. Entfernen Sie eine Mediathek, die Sie nicht brauchen, oder bitten Sie den Betreiber des Geräts um mehr Platz.'], other: ['{count} new photos are not taken up: there is room for {limit} photos of all users, and one user’s libraries have no more of them than are left for all others. What is known stays. Remove a library that you do not use, or ask whoever runs the machine for more room.', '{count} neue Fotos werden nicht aufgenommen: Es ist Platz für {limit} Fotos aller Benutzer, und die Mediatheken eines Benutzers haben davon nie mehr, als für alle anderen übrig sind. Was bekannt ist, bleibt. Entfernen Sie eine Mediathek, die Sie nicht brauchen, oder bitten Sie den Betreiber des Geräts um mehr Platz.'] },
  foldersAway: { one: ['The folder “{folder}” is away or cannot be read. The photos known in it are kept, and offline.', 'Der Ordner „{folder}“ ist nicht da oder nicht lesbar. Die Fotos, die daraus bekannt sind, bleiben erhalten und sind offline.'], other: ['{count} folders are away or cannot be read, “{folder}” among them. The photos known in them are kept, and offline.', '{count} Ordner sind nicht da oder nicht lesbar, darunter „{folder}“. Die Fotos, die daraus bekannt sind, bleiben erhalten und sind offline.'] },
  photosMissed: { one: ['{count} photo of the library is not listed any more, which was all that there was. Is a disk away, or does something else answer in the storage’s place? It is kept, and offline. If it is still missed in an hour it is taken for deleted, or at once when you choose “Look again”.', '{count} Foto der Mediathek, das einzige, ist nicht mehr verzeichnet. Ist ein Datenträger nicht da, oder antwortet etwas anderes anstelle des Speichers? Es bleibt erhalten und ist offline. Fehlt es in einer Stunde noch, gilt es als gelöscht; wählen Sie „Neu durchsehen“, gilt das sofort.'], other: ['{count} photos of the library, all or many of a folder, are not listed any more. Is a disk away, or does something else answer in the storage’s place? They are kept, and offline. If they are still missed in an hour they are taken for deleted, or at once when you choose “Look again”.', '{count} Fotos der Mediathek, alle oder viele eines Ordners, sind nicht mehr verzeichnet. Ist ein Datenträger nicht da, oder antwortet etwas anderes anstelle des Speichers? Sie bleiben erhalten und sind offline. Fehlen sie in einer Stunde noch, gelten sie als gelöscht; wählen Sie „Neu durchsehen“, gilt das sofort.'] },
  policySilent: ['The album policy “{policy}” does not answer: apps that it decides for see no albums. It is asked again by itself.', 'Die Albenregel „{policy}“ antwortet nicht: Apps, für die sie entscheidet, sehen keine Alben. Sie wird von selbst wieder gefragt.'],
  mappingSilent: ['The cloud mapping “{mapping}” does not answer: no app finds photos again that it knows from another machine.', 'Die Cloud-Zuordnung „{mapping}“ antwortet nicht: Keine App findet Fotos wieder, die sie von einem anderen Rechner kennt.'],
  trashWaits: { one: ['{count} deleted photo is out of every app’s sight, but not in the trash yet. {parts}', '{count} gelöschtes Foto sieht keine App mehr, aber es liegt noch nicht im Papierkorb. {parts}'], other: ['{count} deleted photos are out of every app’s sight, but not in the trash yet. {parts}', '{count} gelöschte Fotos sieht keine App mehr, aber sie liegen noch nicht im Papierkorb. {parts}'] },

  fileUnreadable: ['no known format, or damaged beyond reading', 'kein bekanntes Format oder zu beschädigt'],
  sidecarUnreadable: ['no XMP that can be read; the photo beside it is shown as its own file says', 'kein lesbares XMP; das Foto daneben erscheint so, wie seine eigene Datei es angibt'],
  fileTruncated: ['its end is missing', 'sein Ende fehlt'],
  fileMislabelled: ['its name says another format than its content', 'sein Name nennt ein anderes Format als sein Inhalt'],
  fileNoMedia: ['neither a photo nor a video', 'weder Foto noch Video'],
  fileUnusable: ['cannot be read as a photo or video', 'nicht als Foto oder Video lesbar'],
  fileRefused: ['what its plugin says of it is refused', 'die Angaben des Plugins dazu werden abgelehnt'],
  fileTooLarge: ['more than {limit} MiB, the most that is served', 'mehr als {limit} MiB; größere Dateien werden nicht bereitgestellt'],
  fileEmpty: ['empty', 'leer'],
  fileChanging: ['it was being changed; it is looked at again', 'wurde gerade geändert; es wird noch einmal nachgesehen'],
  fileForbidden: ['the broker’s user may not read it', 'der Benutzer des Brokers darf sie nicht lesen'],
  fileHardLinked: ['it has a second name, which may lie elsewhere; make a copy of its own', 'sie hat einen zweiten Namen, der anderswo liegen kann; legen Sie eine eigene Kopie an'],
  fileForeign: ['it belongs to another user', 'sie gehört einem anderen Benutzer'],
  fileLink: ['a symbolic link; put the file itself there', 'ein symbolischer Link; legen Sie die Datei selbst dorthin'],
  fileGone: ['not there any more', 'nicht mehr da'],
  fileAway: ['its storage does not deliver it now', 'ihr Speicher liefert sie gerade nicht'],
  fileNoRoom: ['the broker had no room for it', 'der Broker hatte keinen Platz dafür'],
  mediaAway: ['the program that looks into photos does not run', 'das Programm, das in Fotos hineinsieht, läuft nicht'],
  folderAway: { one: ['the folder is away or cannot be read; {count} photo known in it is kept, and offline', 'der Ordner ist nicht da oder nicht lesbar; {count} Foto, das daraus bekannt ist, bleibt erhalten und ist offline'], other: ['the folder is away or cannot be read; {count} photos known in it are kept, and offline', 'der Ordner ist nicht da oder nicht lesbar; {count} Fotos, die daraus bekannt sind, bleiben erhalten und sind offline'] },

  pluginChanged: ['The broker disabled it: its file is not the one that was installed, or others can write it. Install it again or remove it.', 'Der Broker hat sie abgeschaltet: Ihre Datei ist nicht die, die installiert wurde, oder andere können sie ändern. Installieren Sie sie neu oder entfernen Sie sie.'],
  pluginNameTaken: ['A plugin that comes with the broker has its name, or what it offers, and is used in its place. Install it under another name, or remove it.', 'Eine Erweiterung, die der Broker mitbringt, hat ihren Namen oder bietet dasselbe und gilt statt ihrer. Installieren Sie sie unter einem anderen Namen oder entfernen Sie sie.'],
  pluginUnusable: ['It cannot be loaded: {text}', 'Sie lässt sich nicht laden. Das System sagt dazu: {text}'],
  pluginUncounted: ['It works, without one of its limits: {text}', 'Sie arbeitet, aber ohne eine ihrer Grenzen. Das System sagt dazu: {text}'],
}

const statuses = ['notDetermined', 'restricted', 'denied', 'authorized', 'limited']
// Formats of a reason's values. Names stay as they are, even if they look like numbers, such as a
// folder 2024.
const wordings = {
  status: value => statuses.includes(value) ? t(`status.${value}`) : value,
  policy: policyText,
  count: value => count(Number(value)),
  limit: value => count(Number(value)),
}
const shown = ([name, value]) => [name, wordings[name]?.(value) ?? value]

// The text of a reason; undefined for a code unknown to this page.
//
// `said(text)` wraps a plugin's own words.
export function reasonText(reason, said = text => text) {
  const found = Object.hasOwn(reasons, reason?.code ?? '') ? reasons[reason.code] : undefined
  if (!found) return undefined
  const forms = Array.isArray(found) ? found : found[pluralForm(Number(reason.values?.count))] ?? found.other
  const parts = (reason.parts ?? []).map(part => apart(reasonText(part, said) ?? part.text)).join(', ')
  return filled(forms[language === 'de' ? 1 : 0], { ...Object.fromEntries(Object.entries(reason.values ?? {}).map(shown)), text: said(reason.text), parts })
}

// The plugins that write English; the language of others is unknown.
const english = ['directory', 'rclone', 'content', 'system']

// Foreign text in full length, because the advice is often at its end.
const quoted = text => h('bdi', { class: 'name' }, text)

// An error message: the translated reason, or else the broker's English words. `speaker`, a
// plugin's name or `system`, decides the language in which screen readers read quoted words.
export function problem(reason, words, speaker) {
  const texts = []
  const text = reasonText(reason, text => `\u0000${texts.push(text) - 1}\u0000`)
  if (text === undefined) return [`${t('brokerSays')} `, h('span', { lang: 'en' }, quoted(words))]
  const lang = english.includes(speaker) ? 'en' : ''
  return text.split('\u0000').map((part, at) => at % 2 ? h('span', { lang }, quoted(texts[part] ?? '')) : part)
}
