import { addFolder, folderForm, followIndexing, shellWord } from './addFolder.js'
import { nameCoOwners } from './coOwners.js'
import { undo } from './decisions.js'
import { ask, controlsIn, emptyNote, h, inTerminal, name, show, toast, toastFailure, toggle } from './dom.js'
import { termChoices } from './grants.js'
import { indexing } from './indexing.js'
import { answerText, offer } from './offerDialog.js'
import { offers } from './offers.js'
import { plugins } from './plugins.js'
import { RowGuard } from './presses.js'
import { problem, reasonText } from './reasons.js'
import { account, call, onchange, owns, sees, state } from './server.js'
import { t } from './text.js'
import { pictureElement } from './thumbnails.js'
import { watch } from './watch.js'

// The other people who see or decide in a library, with invitations still open or declined; empty
// if there are none.
function people(library) {
  const caller = state.status?.caller, { owner, administratorsSee, administratorsDecide } = library
  const refusing = library.declinedCoOwners ?? [], invited = library.invited ?? [],
  waiting = invited.filter(uid => !refusing.includes(uid)),
  coOwners = library.coOwners.filter(uid => !invited.includes(uid))
  const users = list => list.map(uid => uid === caller ? t('you') : t('user', { uid: account(uid) })).join(', ')
  return [(library.coOwners.length > 0 || owner !== caller && owns(library)) && t('ownedBy', { users: users([owner]) }),
    coOwners.length > 0 && t('coOwnedBy', { users: users(coOwners) }),
    waiting.length > 0 && t('notYetCoOwners', { users: users(waiting) }),
    refusing.length > 0 && t('noCoOwners', { users: users(refusing) }),
    administratorsSee && t('administratorsSee'), administratorsDecide && t('administratorsDecide')].filter(Boolean)
  .join(' · ')
}

// The users whose apps may ask for photos, and those who declined.
function audience(library) {
  const { offeredTo, declinedBy } = library
  const users = offeredTo.filter(uid => !declinedBy.includes(uid))
    .map(uid => [account(uid), answerText(library, uid)].filter(Boolean).join(' '))
  return [t('offeredTo', { users: users.join(', ') || t('nobody') }),
    declinedBy.length > 0 && t('declinedBy', { users: declinedBy.map(account).join(', ') })].filter(Boolean).join(' · ')
}

// The note for people without a library.
export const toBegin = go => emptyNote('libraries', t('noLibraries'), h('p', {}, t('noLibrariesText')),
  folderForm(library => followIndexing(library, go)))

// The Libraries page.
export function libraries(place, go) {
  const page = new LibrariesPage(place, go)
  return { end: () => page.end() }
}

class LibrariesPage {
  #drawn = ''
  // By library: the element with its latest pictures, and the watcher that updates it.
  #mosaics = new Map()
  #watchers = []
  // Libraries whose list of skipped files is open.
  #unfolded = new Set()
  // All skipped files of libraries whose list was asked for.
  #all = new Map()

  constructor(place, go) {
    this.go = go
    this.content = h('div', { class: 'cards' })
    this.more = inTerminal(t('moreLibraries'), 'photobroker library --help')
    this.adding = h('button', { class: 'plain', onclick: () => addFolder(go) }, t('addFolder'))
    const panel = h('section', { class: 'panel', hidden: true })
    const offered = h('section', { class: 'panel part-offers', hidden: true })
    show(place,
      h('main', { class: 'sheet' }, h('div', { class: 'panel-head' }, h('h1', {}, t('libraries')), this.adding),
        h('p', { class: 'lead' }, t('librariesText')),
      this.content, this.more, offered, panel))
    // Only switches act on one press; other controls lead elsewhere or ask.
    this.guard = new RowGuard(controlsIn([this.content], 'input'), 'input')
    this.draw()
    this.stops = [onchange(() => this.draw()), offers(offered), plugins(panel)]
  }

  end() {
    for (const stop of this.stops) stop()
    this.guard.end()
    for (const watcher of this.#watchers) watcher.end()
  }

  draw() {
    const now = JSON.stringify(state.libraries.map(library => ({ ...library, revision: undefined })))
    if (now === this.#drawn) return
    this.#drawn = now
    this.#all.clear()
    this.render()
  }

  render() {
    this.adding.hidden = state.libraries.length === 0
    show(this.content, state.libraries.map(library => this.card(library)),
      state.libraries.length === 0 && toBegin(this.go))
    this.guard.check()
  }

  card(library) {
    const { name: title, assets, backend, options } = library
    return h('article', { class: 'card library', 'aria-label': title }, sees(library) && this.mosaic(title),
      h('div', { class: 'library-text' }, h('h2', {}, title),
        h('p', { class: 'quiet' }, t('photosCount', { n: assets }), ' · ', backend,
          options?.path && [' · ', name(options.path)])),
      h('p', {}, chips(library)),
      indexing(library),
      library.problem && h('p', { class: 'problem' }, problem(library.problemReason, library.problem, backend)),
      refusedByStorage(library),
      library.thumbnails && h('p', { class: 'problem' }, t('noThumbnails')),
      library.skippedFiles && this.skippedFiles(library),
      people(library) && h('p', { class: 'quiet' }, people(library)),
      h('p', { class: 'quiet' }, audience(library)),
      !sees(library) && h('p', { class: 'quiet' }, t('administered', { uid: account(library.owner) })),
      owns(library) && switches(library),
      this.buttons(library))
  }

  mosaic(library) {
    if (this.#mosaics.has(library)) return this.#mosaics.get(library)
    const element = h('div', { class: 'mosaic' })
    this.#mosaics.set(library, element)
    let shown
    const fill = async () => {
      const { assets } = await call('FetchOwnedAssets', { library, limit: 12 })
      const few = assets.slice(0, assets.length < 12 && assets.length > 6 ? 6 : 12)
      const now = JSON.stringify(few.map(({ identifier, version }) => [identifier, version]))
      if (shown === now) return
      shown = now
      show(element,
        few.map(({ identifier, version }) => pictureElement({ library, asset: identifier, version, pixels: 320 })))
    }
    fill().catch(() => this.#mosaics.delete(library))
    this.#watchers.push(watch(library, fill))
    return element
  }

  // The first files, or all of them, and the number of those without a name.
  skippedFiles({ name: library, skipped, skippedFiles }) {
    const unfolded = this.#unfolded, all = this.#all.get(library), files = all ?? skippedFiles
    const fold = event => unfolded[event.currentTarget.open ? 'add' : 'delete'](library)
    const hasMore = !all && files.length >= 100 && skipped > files.length, others = skipped - files.length
    return [files.length > 0 && h('details', { open: unfolded.has(library), ontoggle: fold },
      h('summary', {}, t('skippedFiles')),
      h('ul', { class: 'quiet' }, files.map(({ path, why, reason }) =>
        h('li', {}, name(path), ': ', reasonText(why) ?? h('span', { lang: 'en' }, reason)))),
      hasMore && h('button', { class: 'plain', onclick: () => this.showAll(library).catch(toastFailure) },
        t('skippedAll'))),
    !hasMore && others > 0 && h('p', { class: 'quiet' },
      t(files.length > 0 ? 'skippedOthers' : 'skippedUnnamed', { n: others }))]
  }

  async showAll(library) {
    const all = []
    let cursor
    do {
      const page = await call('ListSkippedFiles', { library, cursor })
      all.push(...page.files)
      cursor = page.cursor
    } while (cursor)
    this.#all.set(library, all)
    this.render()
  }

  buttons(library) {
    const { name } = library
    const rescan = () => call('RescanLibrary', { name }).then(() => toast(t('rescanning')), toastFailure)
    return h('div', { class: 'actions' }, h('button', { class: 'plain', onclick: rescan }, t('rescan')),
      owns(library) && h('button', { class: 'plain', onclick: () => offer(library) }, t('offer')),
      owns(library) && h('button', { class: 'plain', onclick: () => setDefaultTerms(library) }, t('defaultTerms')),
      library.owner === state.status?.caller
        && h('button', { class: 'plain', onclick: () => nameCoOwners(library) }, t('coOwners')),
      sees(library) && h('button', { class: 'plain', onclick: () => this.go(`/trash/${name}`) }, t('trash')),
      sees(library) && h('button', { class: 'primary', onclick: () => this.go(`/photos/${name}`) }, t('browse')))
  }
}

function chips({ state, skipped, awaitingTrash, changeDetection }) {
  const chip = (text, look = 'chip') => h('span', { class: look }, text)
  return [chip(t(`state.${state}`), `chip state-${state}`), skipped > 0 && chip(t('skipped', { n: skipped })),
    awaitingTrash > 0 && chip(t('awaitingTrash', { n: awaitingTrash })), chip(t(`detection.${changeDetection}`))]
}

// Tells what apps cannot do in the storage, and the step that lets them (R158).
function refusedByStorage({ storageRefuses, backend, options }) {
  if (!storageRefuses?.length) return false
  const path = backend === 'directory' && options?.path
  const command = `sudo photobroker library open ${path && shellWord(path)}`
  return h('p', { class: 'quiet' }, t(`storageRefuses.${storageRefuses.join('.')}`),
    path && [' ', t('storageRefuses.step', { command })])
}

// The owner's switches.
function switches({ name, sharesOriginals, appsDelete }) {
  const share = share => call('ShareOriginals', { name, share }),
  letDelete = allow => call('AllowDeletions', { name, allow })
  const one = (checked, decide, outcomes, key) =>
    toggle({ checked, onchange: event => turn(name, event.currentTarget, decide, outcomes) }, t(key), t(`${key}.text`))
  return [one(sharesOriginals, share, ['outcome.originals shared', 'outcome.originals kept back'], 'originals'),
    // Older brokers do not report this setting.
    typeof appsDelete === 'boolean' &&
      one(appsDelete, letDelete, ['outcome.apps delete', 'outcome.apps delete nothing'], 'deletions')]
}

// The terms with which access begins. Without a choice, places leave with full access alone.
async function setDefaultTerms({ name, defaultTerms }) {
  const before = { ...defaultTerms, location: defaultTerms.location ?? false }, terms = {}
  const choices = termChoices(before, change => Object.assign(terms, change))
  if (!await ask(t('defaultTerms.title'), 'save', [h('p', {}, t('defaultTerms.text')), choices])) return
  try {
    const { decisions } = await call('SetDefaultTerms', { name, terms })
    toast(t('saved'), undo(decisions))
  } catch (refusal) { toastFailure(refusal) }
}

async function turn(name, control, decide, [given, kept]) {
  const isGiven = control.checked
  try {
    const { decisions } = await decide(isGiven)
    toast(`${name}: ${t(isGiven ? given : kept)}`, undo(decisions))
  } catch (refusal) {
    control.checked = !isGiven
    toastFailure(refusal)
  }
}
