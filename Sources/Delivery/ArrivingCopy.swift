import CLinux
import Glibc
import Monitor
package import UnixSocket

/// A copy of a remote file while it arrives, through several pipes if transfers are interrupted.
package struct ArrivingCopy: ~Copyable {
  private let writer: SealedWriter
  private let limitBytes: Int
  /// The number of bytes received.
  package private(set) var byteCount = 0

  /// - Throws: `noSpace`, `system`.
  package init(limitBytes: Int) throws(DeliveryError) {
    writer = try SealedWriter()
    self.limitBytes = limitBytes
  }

  /// The interval of `progress` calls while no bytes arrive.
  private static let askInterval = Duration.milliseconds(100)

  /// Reads a pipe until its other end is closed.
  ///
  /// - Parameters:
  ///   - first: The timeout for the first byte.
  ///   - patience: The timeout for each further byte and the end.
  ///   - progress: Called with the number of bytes so far, also while none arrive. False cancels.
  /// - Throws: `timedOut`, `tooLarge`, `readerGone` if `progress` cancelled, `noSpace`, `system`.
  package mutating func take(
    from pipe: borrowing FileDescriptor, first: Duration, patience: Duration, progress: (Int) -> Bool
  ) throws(DeliveryError) {
    var piece = [UInt8](repeating: 0, count: 256 << 10)
    var limit = first
    while true {
      let count = try next(&piece, from: pipe, limit, progress)
      limit = patience
      if count == 0 { return }
      guard count <= limitBytes - byteCount else { throw .tooLarge }
      try writer.append(piece[..<count])
      byteCount += count
      guard progress(byteCount) else { throw .readerGone }
    }
  }

  /// The next bytes while they are wanted. A cancelled transfer must end at once, even if it
  /// stalls.
  private func next(
    _ piece: inout [UInt8], from pipe: borrowing FileDescriptor, _ patience: Duration, _ progress: (Int) -> Bool
  ) throws(DeliveryError) -> Int {
    let end = MonotonicTime.after(patience)
    while true {
      do throws(DeliveryError) {
        return try Self.next(&piece, from: pipe, until: min(end, .after(Self.askInterval)))
      } catch {
        guard error.code == .timedOut, !end.hasPassed else { throw error }
        guard progress(byteCount) else { throw .readerGone }
      }
    }
  }

  /// The next bytes of a pipe; 0 at its end.
  ///
  /// - Throws: `timedOut`, `system`.
  static func next(
    _ piece: inout [UInt8], from pipe: borrowing FileDescriptor, until end: MonotonicTime
  ) throws(DeliveryError) -> Int {
    while true {
      var poll = pollfd(fd: pipe.number, events: Int16(POLLIN), revents: 0)
      let ready = Glibc.poll(&poll, 1, end.pollMilliseconds)
      if ready < 0, errno == EINTR { continue }
      guard ready != 0 else { throw .timedOut }
      let count = read(pipe.number, &piece, piece.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count >= 0 else { throw .system(errno, "Reading from the storage") }
      return count
    }
  }

  /// Cleans the complete copy in place, before it is sealed.
  ///
  /// - Parameter isWanted: Called before each piece of at most 1 MiB; false cancels.
  /// - Throws: `readerGone` if cancelled; `system`, the planner's errors.
  package borrowing func clean(_ planner: SealedCopy.Planner, isWanted: () -> Bool) throws(DeliveryError) {
    try writer.clean(planner) { () throws(DeliveryError) in
      guard isWanted() else { throw .readerGone }
    }
  }

  /// Seals the complete copy.
  ///
  /// - Throws: `noSpace`, `system`.
  package consuming func seal(
    hasher: SealedCopy.Hasher? = nil, memory: SharedAllowance.Share? = nil
  ) throws(DeliveryError) -> SealedCopy {
    try writer.seal(hasher: hasher, memory: memory)
  }
}
