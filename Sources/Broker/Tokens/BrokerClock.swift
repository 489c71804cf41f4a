import PhotoModel

/// The time by which tokens and grants end, and its storage for the next start.
package final class BrokerClock {
  private let store: any Store
  private let environment: any Environment
  private var latest: LatestTime
  /// When the time was last stored, on the monotonic clock.
  private var noted: Duration

  /// - Parameter text: the stored time.
  init(noted text: String?, store: any Store, environment: any Environment) {
    self.store = store
    self.environment = environment
    latest = text.map { LatestTime(noted: $0, environment) } ?? LatestTime()
    noted = environment.monotonic
  }

  /// The latest time, see ``LatestTime/read(_:)``.
  func read() -> Timestamp { latest.read(environment) }

  /// Difference of the wall clock from the latest time that it has shown.
  package var lag: Duration { read().distance(from: environment.now) }

  /// Whether the time was not stored for five minutes.
  var mustNote: Bool { environment.monotonic - noted >= .seconds(300) }

  /// Stores the present time, so that expired grants stay expired if the wall clock is set back
  /// before the next start.
  package func note() {
    noted = environment.monotonic
    store.commit([.putSetting(name: SettingName.latestTime, value: latest.note(environment))]) { _ in }
  }
}
