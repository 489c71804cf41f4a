import CLinux
import Glibc
import Monitor
package import UnixSocket

/// A far file's bytes as far as they were fetched, in places of their own in a memory file of the
/// file's size, with zeros elsewhere.
///
/// For looking into a file, never for an app. On one thread; nobody may read it while it is being
/// filled.
package final class PartialCopy {
  private let writer: FileDescriptor
  /// Open for reading only.
  package let descriptor: FileDescriptor
  /// The whole file's.
  package let byteCount: Int
  /// What is there; ascending, neither overlapping nor touching.
  package private(set) var parts: [Range<Int>] = []

  /// - Throws: `noSpace`, `system`.
  package init(byteCount: Int) throws(DeliveryError) {
    self.byteCount = byteCount
    let file = FileDescriptor(
      owning: try DeliveryError.check(clinux_memory_file(SealedCopy.label), "Making a memory file"))
    guard ftruncate(file.number, byteCount) == 0 else { throw .system(errno, "Making a memory file") }
    // A mapping of it never faults then.
    _ = try DeliveryError.check(clinux_seal_size(file.number), "Sealing a copy")
    descriptor = FileDescriptor(
      owning: try DeliveryError.check(clinux_reopen_read_only(file.number), "Reopening a copy"))
    writer = file
  }

  /// Bytes that are there.
  package var filled: Int { parts.reduce(0) { $0 + $1.count } }

  /// What is missing of a range.
  package func missing(in range: Range<Int>) -> [Range<Int>] {
    var rest = range.clamped(to: 0..<byteCount)
    var missing: [Range<Int>] = []
    for part in parts where part.overlaps(rest) {
      if part.lowerBound > rest.lowerBound { missing.append(rest.lowerBound..<part.lowerBound) }
      rest = min(part.upperBound, rest.upperBound)..<rest.upperBound
    }
    return rest.isEmpty ? missing : missing + [rest]
  }

  /// Takes what comes through a pipe for a range, all of it, until its other end is closed.
  ///
  /// - Parameter patience: How long to wait for the next byte.
  /// - Throws: `timedOut`, `tooLarge` where more bytes come, `changedWhileReading` where fewer do, `noSpace`, `system`.
  package func take(_ range: Range<Int>, from pipe: borrowing FileDescriptor, patience: Duration) throws(DeliveryError)
  {
    let range = range.clamped(to: 0..<byteCount)
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    var place = range.lowerBound
    while true {
      let count = try ArrivingCopy.next(&piece, from: pipe, until: .after(patience))
      if count == 0 { break }
      guard count <= range.upperBound - place else { throw .tooLarge }
      try write(piece[..<count], at: place)
      place += count
    }
    guard place == range.upperBound else { throw .changedWhileReading }
    add(range)
  }

  private func write(_ bytes: ArraySlice<UInt8>, at place: Int) throws(DeliveryError) {
    var (rest, place) = (bytes, place)
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { pwrite(writer.number, $0.baseAddress, $0.count, place) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .system(errno, "Filling a copy") }
      rest = rest.dropFirst(count)
      place += count
    }
  }

  private func add(_ range: Range<Int>) {
    var joined: [Range<Int>] = []
    for part in (parts + [range]).sorted(by: { $0.lowerBound < $1.lowerBound }) where !part.isEmpty {
      if let last = joined.last, part.lowerBound <= last.upperBound {
        joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, part.upperBound)
      } else {
        joined.append(part)
      }
    }
    parts = joined
  }

  /// The bytes of a range, of which all are there.
  /// - Throws: `system`.
  package func bytes(_ range: Range<Int>) throws(DeliveryError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    let count = pread(descriptor.number, &bytes, bytes.count, range.lowerBound)
    guard count == bytes.count else { throw .system(count < 0 ? errno : EIO, "Reading a copy") }
    return bytes
  }
}
