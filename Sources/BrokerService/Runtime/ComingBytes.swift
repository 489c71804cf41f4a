import Broker
import Limits
import Synchronization

/// Bytes of what requests are to create, from when they are taken over until they are stored or the
/// request is over. A request holds what came of it while the rest comes as slowly as its app
/// likes, and an app may have many: they are bounded together, of an app, and of a user's apps in
/// one library. What all users hold together is bounded by ``LibraryShares/copying``, which makes
/// them wait before a byte is taken over: refused here, what one user or one library is put through
/// would be told in the answers of another.
final class ComingBytes: Sendable {
  /// Bytes that count as long as this lives.
  final class Share: Sendable {
    private let end: @Sendable () -> Void

    fileprivate init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
  }

  /// Whose bytes they are.
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
  ///   - perApp: Bytes of an app's requests, in all libraries.
  ///   - perUser: Bytes of all apps of a user, in one library.
  init(perApp: Int = ServiceLimits.createdBytesPerApp, perUser: Int = ServiceLimits.createdBytesPerUser) {
    self.perApp = perApp
    self.perUser = perUser
  }

  /// - Throws: `comingTooMuch` where the app, or the user's apps together, would hold too much.
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
