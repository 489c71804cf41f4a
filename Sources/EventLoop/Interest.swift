import CLinux

/// The events that a source waits for.
package struct Interest: OptionSet, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package init(reading: Bool, writing: Bool) {
    rawValue = (reading ? EPOLLIN.rawValue : 0) | (writing ? EPOLLOUT.rawValue : 0)
  }

  /// Bytes, a connection, or the end of the stream can be read.
  package static let read = Interest(rawValue: EPOLLIN.rawValue)
  /// There is room to write.
  package static let write = Interest(rawValue: EPOLLOUT.rawValue)
}
