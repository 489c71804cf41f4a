import Broker
import Delivery
import EventLoop

/// Bytes that an app sent in messages, on their way to a sealed copy. An upload's bytes count
/// against its user's quota until this object is freed, on any thread.
final class SentBytes: Sendable {
  let pieces: [[UInt8]]
  private let end: @Sendable () -> Void

  var byteCount: Int { pieces.reduce(0) { $0 + $1.count } }

  /// Bytes that arrived in one message. They have no part in the quota for uploads.
  init(pieces: [[UInt8]]) {
    self.pieces = pieces
    end = {}
  }

  /// Bytes that ``ServiceCore/uploads`` counted. Called on the loop.
  init(upload pieces: [[UInt8]], of uid: UInt32, in core: ServiceCore) {
    self.pieces = pieces
    let count = pieces.reduce(0) { $0 + $1.count }
    let loop = core.loop
    let core = LoopConfined(core)
    end = { loop.perform { core.value.uploads.giveBack(count, of: uid) } }
  }

  deinit { end() }
}
