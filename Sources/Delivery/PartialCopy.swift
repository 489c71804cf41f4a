import CLinux
import Glibc
import Monitor
package import UnixSocket

/// The fetched parts of a remote file, at their offsets in a memory file of the file's size, with
/// zeros elsewhere.
///
/// For the worker, never for an app. Use it on one thread, and do not read it while it is being
/// filled.
package final class PartialCopy {
  private let writer: FileDescriptor
  /// Open for reading only.
  package let descriptor: FileDescriptor
  /// The size of the whole file.
  package let byteCount: Int
  /// The available parts; ascending, neither overlapping nor touching.
  package private(set) var parts: [Range<Int>] = []

  /// - Throws: `noSpace`, `system`.
  package init(byteCount: Int) throws(DeliveryError) {
    self.byteCount = byteCount
    let file = FileDescriptor(
      owning: try DeliveryError.check(clinux_memory_file(SealedCopy.label), "Making a memory file"))
    guard ftruncate(file.number, byteCount) == 0 else { throw .system(errno, "Making a memory file") }
    // A sealed size keeps mappings from faulting.
    _ = try DeliveryError.check(clinux_seal_size(file.number), "Sealing a copy")
    descriptor = FileDescriptor(
      owning: try DeliveryError.check(clinux_reopen_read_only(file.number), "Reopening a copy"))
    writer = file
  }

  /// The number of available bytes.
  package var filled: Int { parts.reduce(0) { $0 + $1.count } }

  /// The missing parts of a range.
  package func missing(in range: Range<Int>) -> [Range<Int>] {
    var rest = range.clamped(to: 0..<byteCount)
    var missing: [Range<Int>] = []
    for part in parts where part.overlaps(rest) {
      if part.lowerBound > rest.lowerBound { missing.append(rest.lowerBound..<part.lowerBound) }
      rest = min(part.upperBound, rest.upperBound)..<rest.upperBound
    }
    return rest.isEmpty ? missing : missing + [rest]
  }

  /// Reads a range's bytes from a pipe until its other end is closed.
  ///
  /// - Parameter patience: The timeout for each byte.
  /// - Throws: `timedOut`, `tooLarge` for more bytes than the range, `changedWhileReading` for
  ///   fewer, `noSpace`, `system`.
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

  /// Reads a range that is completely available.
  ///
  /// - Throws: `system`.
  package func bytes(_ range: Range<Int>) throws(DeliveryError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    let count = pread(descriptor.number, &bytes, bytes.count, range.lowerBound)
    guard count == bytes.count else { throw .system(count < 0 ? errno : EIO, "Reading a copy") }
    return bytes
  }
}
