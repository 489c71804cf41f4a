import Broker
import Limits
import Synchronization

/// Bytes of what requests are to create, from when they are taken over until they are stored or the request is over. A request holds
/// what came of it while the rest comes as slowly as its app likes, and an app may have many: they are bounded together.
final class ComingBytes: Sendable {
  /// Bytes that count as long as this lives.
  final class Share: Sendable {
    private let end: @Sendable () -> Void

    fileprivate init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
  }

  private struct Place: Hashable {
    let user: UInt32
    let app: AppIdentifier
  }

  private struct Held {
    var ofApp: [Place: Int] = [:]
    var ofUser: [UInt32: Int] = [:]
  }

  private let held = Mutex(Held())
  private let limitPerApp: Int
  private let limitPerUser: Int

  init(limitPerApp: Int = ServiceLimits.createdBytesPerApp, limitPerUser: Int = ServiceLimits.createdBytesPerUser) {
    self.limitPerApp = limitPerApp
    self.limitPerUser = limitPerUser
  }

  /// Nil where the app, or the user's apps together, would hold too much.
  func take(_ count: Int, of app: AppIdentifier, user: UInt32) -> Share? {
    let place = Place(user: user, app: app)
    let isTaken = held.withLock { held in
      let (ofApp, ofUser) = (held.ofApp[place, default: 0] + count, held.ofUser[user, default: 0] + count)
      guard ofApp <= limitPerApp, ofUser <= limitPerUser else { return false }
      held.ofApp[place] = ofApp
      held.ofUser[user] = ofUser
      return true
    }
    guard isTaken else { return nil }
    return Share { [self] in giveBack(count, place) }
  }

  private func giveBack(_ count: Int, _ place: Place) {
    held.withLock { held in
      held.ofApp[place] = held.ofApp[place].flatMap { $0 > count ? $0 - count : nil }
      held.ofUser[place.user] = held.ofUser[place.user].flatMap { $0 > count ? $0 - count : nil }
    }
  }
}
