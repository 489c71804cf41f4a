import BrokerInterface
import Desktop
import Accounts
import Limits

/// Texts of desktop notifications, in German or English.
struct NotifyWords: Sendable {
  /// The preferred language of manifests' texts.
  let language: String
  private var isGerman: Bool { language.split(separator: "-").first == "de" }

  /// Limit of an app's name in characters; a longer one would displace the other words.
  private static let nameLength = 60

  init(_ environment: [String: String]) {
    language = PersonLanguage.tag(environment) ?? "en"
  }

  var decide: String { isGerman ? "Entscheiden" : "Decide" }

  func notice(_ prompt: Admin.PromptInfo) -> Notice {
    let app = Self.name(prompt.app)
    let title =
      switch (prompt.kind, prompt.level) {
      case ("keepSelection", _): isGerman ? "\(app): Auswahl behalten?" : "\(app): keep its selection?"
      case ("selection", _):
        isGerman ? "\(app) fragt, welche Fotos es sehen darf" : "\(app) asks which photos it may see"
      case ("allowance", _):
        isGerman
          ? "\(app) wurde pausiert: mehr \(Self.exceeded(prompt))"
          : "\(app) is paused: it took more \(Words.exceeded(prompt))"
      case (_, "addOnly"): isGerman ? "\(app) möchte Fotos hinzufügen" : "\(app) would like to add photos"
      case _ where prompt.readOnly ?? false:
        isGerman ? "\(app) möchte Ihre Fotos sehen" : "\(app) would like to see your photos"
      default:
        isGerman ? "\(app) möchte Ihre Fotos sehen und ändern" : "\(app) would like to see and change your photos"
      }
    return Notice(key: prompt.prompt, title: title, text: text(prompt.app, prompt.library))
  }

  func notice(_ picker: Admin.PickerInfo) -> Notice {
    let app = Self.name(picker.app)
    let title = isGerman ? "\(app) bittet um Fotos" : "\(app) asks you to pick photos"
    return Notice(key: picker.picker, title: title, text: text(picker.app, picker.library))
  }

  func notice(_ deletion: Admin.DeletionInfo) -> Notice {
    let (app, count) = (Self.name(deletion.app), deletion.assets.count)
    let photos = isGerman ? count == 1 ? "1 Foto" : "\(count) Fotos" : Amount.count(count, "photo")
    let title = isGerman ? "\(app) möchte \(photos) löschen" : "\(app) would like to delete \(photos)"
    return Notice(key: deletion.deletion, title: title, text: text(deletion.app, deletion.library))
  }

  /// The verified facts, apart from the app's own claims.
  private func text(_ app: Admin.AppInfo, _ library: String) -> String {
    let identity = app.verifiedIdentity.map { ", " + ShownText.escaped($0) } ?? ""
    let user = ShownText.escaped(AccountNames.words(app.uid))
    return isGerman
      ? "Mediathek „\(library)“ · Benutzer \(user)\(identity)" : "Library “\(library)” · user \(user)\(identity)"
  }

  private static func exceeded(_ prompt: Admin.PromptInfo) -> String {
    switch prompt.exceeded {
    case "photosPerHour": "Fotos als erlaubt in einer Stunde"
    case "bytesPerHour": "Daten als erlaubt in einer Stunde"
    case "bytesPerDay": "Daten als erlaubt an einem Tag"
    default: "Fotos als erlaubt an einem Tag"
    }
  }

  private static func name(_ app: Admin.AppInfo) -> String {
    let shown = ShownText.escaped(ShownText.claimed(app.displayName.isEmpty ? app.identifier : app.displayName))
    return shown.count > nameLength ? shown.prefix(nameLength) + "…" : shown
  }
}
