import CLinux
import Glibc

/// The descriptor by which a loop gets its signals.
final class LoopSignals {
  private let descriptor: Int32
  /// Its registration in the loop.
  let source: SourceID

  /// Takes over the descriptor.
  init(descriptor: Int32, source: SourceID) {
    self.descriptor = descriptor
    self.source = source
  }

  deinit { close(descriptor) }

  static func block(_ signals: [Int32]) throws(EventLoopError) {
    let result = clinux_block_signals(signals, signals.count)
    guard result >= 0 else { throw .system("Blocking signals", -result) }
  }

  /// A descriptor that the caller owns.
  static func open(_ signals: [Int32]) throws(EventLoopError) -> Int32 {
    let result = clinux_signalfd(signals, signals.count)
    guard result >= 0 else { throw .system("Receiving signals", -result) }
    return result
  }

  /// The next pending signal.
  static func next(_ descriptor: Int32) -> Int32? {
    let signal = clinux_signalfd_next(descriptor)
    return signal > 0 ? signal : nil
  }
}
