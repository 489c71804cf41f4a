import Limits
import PhotoModel

extension Broker {
  /// - Throws: `limitExceeded` during a pause after attempts of this kind, or after repeated changes
  ///   of the app's words.
  func requirePatience(_ kind: AskingBackoff.Kind, _ library: LibraryName, _ app: AppRecord) throws(BrokerError) {
    for kind in [.changedWords, kind] {
      guard let end = prompts.backoff.pause(kind, library, app, now: environment.now) else { continue }
      let why =
        switch kind {
        case .changedWords: "The app changed its description several times while a person was asked"
        case .denied:
          "The person said no several times, and is left alone for a while, unless the owner allows it in settings"
        case .picker, .selection, .keepSelection:
          "The person dismissed this several times, and is left alone for a while"
        }
      let seconds = max(1, end.distance(from: environment.now).components.seconds + 1)
      throw .photos(.limitExceeded, "\(why); ask again in \(Amount.duration(seconds: seconds)).")
    }
  }

  /// Notes an attempt in vain, which may begin a pause.
  func backOff(_ kind: AskingBackoff.Kind, _ library: LibraryState, _ app: AppRecord) {
    prompts.backoff.note(kind, library.record.name, app, at: environment.now)
    keepBackoff(in: library)
  }

  /// Clears attempts after the person used such a dialog, or forgot the denial.
  func forgive(_ kind: AskingBackoff.Kind, _ library: LibraryState, _ app: AppRecord) {
    if prompts.backoff.forgive(kind, library.record.name, app) { keepBackoff(in: library) }
  }

  private func keepBackoff(in library: LibraryState) {
    let name = library.record.name
    // A removed library's pauses are removed with it.
    guard libraries[name] === library else { return }
    let text = prompts.backoff.text(of: name, now: environment.now)
    store.commit([.putSetting(name: SettingName.backoff + name.description, value: text)]) { _ in }
  }
}
