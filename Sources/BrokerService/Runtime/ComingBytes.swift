import Broker
import Limits
import Synchronization

/// Bytes of what requests are to create, from when they are taken over until they are stored or the request is over. A request holds
/// what came of it while the rest comes as slowly as its app likes, and an app may have many: they are bounded together, of an app, of a
/// user and of all.
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
    var all = 0
  }

  private let held = Mutex(Held())
  private let limits: Limits

  struct Limits {
    var perApp = ServiceLimits.createdBytesPerApp
    var perUser = ServiceLimits.createdBytesPerUser
    var inAll = ServiceLimits.createdBytesInAll
    /// What a user's apps may hold whatever others hold.
    var assured = ServiceLimits.createdBytesAssured
  }

  init(_ limits: Limits = Limits()) { self.limits = limits }

  /// - Throws: `comingTooMuch` where the app, or the user's apps together, would hold too much; `allComingTooMuch` where all would, and
  ///   the user's apps more than what is theirs in any case: what others do takes that from nobody.
  func take(_ count: Int, of app: AppIdentifier, user: UInt32) throws(BrokerError) -> Share {
    let place = Place(user: user, app: app)
    let limits = limits
    let refusal = held.withLock { held -> BrokerError? in
      let (ofApp, ofUser) = (held.ofApp[place, default: 0] + count, held.ofUser[user, default: 0] + count)
      guard ofApp <= limits.perApp, ofUser <= limits.perUser else { return .comingTooMuch }
      guard ofUser <= limits.assured || held.all + count <= limits.inAll else { return .allComingTooMuch }
      held.ofApp[place] = ofApp
      held.ofUser[user] = ofUser
      held.all += count
      return nil
    }
    if let refusal { throw refusal }
    return Share { [self] in giveBack(count, place) }
  }

  private func giveBack(_ count: Int, _ place: Place) {
    held.withLock { held in
      held.all -= count
      held.ofApp[place] = held.ofApp[place].flatMap { $0 > count ? $0 - count : nil }
      held.ofUser[place.user] = held.ofUser[place.user].flatMap { $0 > count ? $0 - count : nil }
    }
  }
}
