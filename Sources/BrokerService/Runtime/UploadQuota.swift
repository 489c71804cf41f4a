import Broker
import Delivery
import Limits
import Synchronization

/// Quota of bytes in unfinished change requests, from their arrival until they are stored or the
/// request ends. It is bounded for each app, and for a user's apps in one library.
///
/// The bound for all users together is ``LibraryShares/copying``, which makes a request wait. A
/// refusal there would reveal other users' activity.
final class UploadQuota: Sendable {
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
    var ofApp: Quota<AppPlace>
    var ofUser: Quota<UserPlace>
  }

  private let held: Mutex<Held>

  /// - Parameters:
  /// - perApp: Bytes of one app's requests, in all libraries.
  /// - perUser: Bytes of a user's apps in one library.
  init(perApp: Int = ServiceLimits.createdBytesPerApp, perUser: Int = ServiceLimits.createdBytesPerUser) {
    held = Mutex(Held(ofApp: Quota(limitPerUser: perApp), ofUser: Quota(limitPerUser: perUser)))
  }

  /// - Throws: `comingTooMuch` if this exceeds a quota.
  func take(_ count: Int, of owner: Owner) throws(BrokerError) -> Share {
    let fits = held.withLock { held in
      guard held.ofUser.mayAdd(count, for: owner.ofUser), held.ofApp.take(count, for: owner.ofApp) else { return false }
      held.ofUser.add(count, for: owner.ofUser)
      return true
    }
    guard fits else { throw .comingTooMuch }
    return Share { [self] in giveBack(count, owner) }
  }

  private func giveBack(_ count: Int, _ owner: Owner) {
    held.withLock { held in
      held.ofApp.giveBack(count, of: owner.ofApp)
      held.ofUser.giveBack(count, of: owner.ofUser)
    }
  }
}
