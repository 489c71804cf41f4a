import Limits
import PhotoModel

extension Broker {
  /// - Throws: `limitExceeded` during a pause after dismissals of this kind, or after repeated
  ///   changes of the app's words.
  func requirePatience(_ kind: DismissalHistory.Kind?, _ library: LibraryName, _ app: AppRecord) throws(BrokerError) {
    if let end = prompts.dismissals.pause(.changedWords, library, app, now: environment.now) {
      throw .changedTooOften(until: end, now: environment.now)
    }
    guard let kind, let end = prompts.dismissals.pause(kind, library, app, now: environment.now) else { return }
    throw .leftAlone(
      "The person dismissed this several times, and is left alone for a while", until: end, now: environment.now)
  }

  func noteDismissal(_ kind: DismissalHistory.Kind, _ library: LibraryState, _ app: AppRecord) {
    prompts.dismissals.note(kind, library.record.name, app, at: environment.now)
    keepDismissals(in: library)
  }

  /// Clears dismissals after the person used such a dialog.
  func forgiveDismissals(_ kind: DismissalHistory.Kind, _ library: LibraryState, _ app: AppRecord) {
    if prompts.dismissals.forgive(kind, library.record.name, app) { keepDismissals(in: library) }
  }

  private func keepDismissals(in library: LibraryState) {
    let name = library.record.name
    // A removed library's dismissals are removed with it.
    guard libraries[name] === library else { return }
    let text = prompts.dismissals.text(of: name, now: environment.now)
    store.commit([.putSetting(name: SettingName.dismissals + name.description, value: text)]) { _ in }
  }
}

extension BrokerError {
  static func changedTooOften(until end: Timestamp, now: Timestamp) -> Self {
    leftAlone("The app changed its description several times while a person was asked", until: end, now: now)
  }

  static func leftAlone(_ why: String, until end: Timestamp, now: Timestamp) -> Self {
    let seconds = max(1, end.distance(from: now).components.seconds + 1)
    return .photos(.limitExceeded, "\(why); ask again in \(Amount.duration(seconds: seconds)).")
  }
}
