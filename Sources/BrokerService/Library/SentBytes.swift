import EventLoop

/// Bytes that an app sent in messages, on their way to a sealed copy. Those of an upload count as
/// its user's until they are let go of, on whatever thread and for whatever reason that is.
final class SentBytes: Sendable {
  let pieces: [[UInt8]]
  private let end: @Sendable () -> Void

  var byteCount: Int { pieces.reduce(0) { $0 + $1.count } }

  /// Bytes of one message, which nobody counts.
  init(pieces: [[UInt8]]) {
    self.pieces = pieces
    end = {}
  }

  /// What ``ServiceCore/reserveUpload(_:for:)`` has counted. On the loop.
  init(upload pieces: [[UInt8]], of uid: UInt32, in core: ServiceCore) {
    self.pieces = pieces
    let count = pieces.reduce(0) { $0 + $1.count }
    let loop = core.loop
    let core = Box(core)
    end = { loop.perform { core.value.releaseUpload(count, of: uid) } }
  }

  deinit { end() }
}
