import Broker
import Macaroons
import UnixSocket

/// The reader of a library's bytes, and whether it still waits.
struct ByteRecipient {
  /// All owners count as one app, separate from every real one.
  static let owner = AppIdentifier(high: 0, low: 0)

  let app: AppIdentifier
  /// The user who runs the app.
  let user: UInt32
  /// The facts that must not be in the bytes. Pictures are made from files.
  let withheld: WithheldFacts
  /// Checked regularly, because a person who scrolls through a library abandons many pictures.
  let isWanted: () -> Bool

  /// The broker itself, on behalf of a library's owner.
  init(user: UInt32, isWanted: @escaping () -> Bool) {
    app = Self.owner
    withheld = []
    self.user = user
    self.isWanted = isWanted
  }

  /// - Parameter permit: Nil for an owner.
  init(_ call: IncomingCall, _ permit: Permit?) {
    app = permit?.app ?? Self.owner
    withheld = permit?.withheld.subtracting(.files) ?? []
    user = call.connection.socket.peer.uid
    isWanted = { !call.isClosed }
  }
}
