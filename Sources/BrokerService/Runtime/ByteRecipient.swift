import Broker
import UnixSocket

/// The reader of a library's bytes, and whether it still waits.
struct ByteRecipient {
  /// All owners count as one app, separate from every real one.
  static let owner = AppIdentifier(high: 0, low: 0)

  let app: AppIdentifier
  /// The user who runs the app.
  let user: UInt32
  /// Checked regularly, because a person who scrolls through a library abandons many pictures.
  let isWanted: () -> Bool

  /// The broker itself, on behalf of a library's owner.
  init(user: UInt32, isWanted: @escaping () -> Bool) {
    app = Self.owner
    self.user = user
    self.isWanted = isWanted
  }

  /// - Parameter app: Nil for an owner.
  init(_ call: IncomingCall, _ app: AppIdentifier?) {
    self.app = app ?? Self.owner
    user = call.connection.socket.peer.uid
    isWanted = { !call.isClosed }
  }
}
