import Broker
import Limits
import Synchronization

/// Quota of bytes in unfinished change requests, from their arrival until they are stored or the
/// request ends. It is bounded for each app, and for a user's apps in one library.
///
/// The bound for all users together is ``LibraryShares/copying``, which makes a request wait. A
/// refusal there would reveal other users' activity.
final class ComingBytes: Sendable {
  final class Share: Sendable {
    private let end: @Sendable () -> Void

    fileprivate init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
  }

  struct Owner {
    let app: AppIdentifier
    let user: UInt32
    let library: LibraryName

    fileprivate var ofApp: AppPlace { AppPlace(user: user, app: app) }
    fileprivate var ofUser: UserPlace { UserPlace(user: user, library: library) }
  }

  fileprivate struct AppPlace: Hashable {
    let user: UInt32
    let app: AppIdentifier
  }

  fileprivate struct UserPlace: Hashable {
    let user: UInt32
    let library: LibraryName
  }

  private struct Held {
    var ofApp: [AppPlace: Int] = [:]
    var ofUser: [UserPlace: Int] = [:]
  }

  private let held = Mutex(Held())
  private let perApp: Int
  private let perUser: Int

  /// - Parameters:
  /// - perApp: Bytes of one app's requests, in all libraries.
  /// - perUser: Bytes of a user's apps in one library.
  init(perApp: Int = ServiceLimits.createdBytesPerApp, perUser: Int = ServiceLimits.createdBytesPerUser) {
    self.perApp = perApp
    self.perUser = perUser
  }

  /// - Throws: `comingTooMuch` if this exceeds a quota.
  func take(_ count: Int, of owner: Owner) throws(BrokerError) -> Share {
    let fits = held.withLock { held in
      let (ofApp, ofUser) = (held.ofApp[owner.ofApp, default: 0] + count, held.ofUser[owner.ofUser, default: 0] + count)
      guard ofApp <= perApp, ofUser <= perUser else { return false }
      held.ofApp[owner.ofApp] = ofApp
      held.ofUser[owner.ofUser] = ofUser
      return true
    }
    guard fits else { throw .comingTooMuch }
    return Share { [self] in giveBack(count, owner) }
  }

  private func giveBack(_ count: Int, _ owner: Owner) {
    held.withLock { held in
      held.ofApp[owner.ofApp] = held.ofApp[owner.ofApp].flatMap { $0 > count ? $0 - count : nil }
      held.ofUser[owner.ofUser] = held.ofUser[owner.ofUser].flatMap { $0 > count ? $0 - count : nil }
    }
  }
}
