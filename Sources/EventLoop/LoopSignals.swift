import CLinux
import Glibc

/// A loop's signal descriptor.
final class LoopSignals {
  private let descriptor: Int32
  let source: SourceID

  /// Takes ownership of the descriptor.
  init(descriptor: Int32, source: SourceID) {
    self.descriptor = descriptor
    self.source = source
  }

  deinit { close(descriptor) }

  static func block(_ signals: [Int32]) throws(EventLoopError) {
    let result = clinux_block_signals(signals, signals.count)
    guard result >= 0 else { throw .system("Blocking signals", -result) }
  }

  /// Opens a signal descriptor, which the caller owns.
  static func open(_ signals: [Int32]) throws(EventLoopError) -> Int32 {
    let result = clinux_signalfd(signals, signals.count)
    guard result >= 0 else { throw .system("Receiving signals", -result) }
    return result
  }

  /// Reads the next pending signal.
  static func next(_ descriptor: Int32) -> Int32? {
    let signal = clinux_signalfd_next(descriptor)
    return signal > 0 ? signal : nil
  }
}
