import BrokerInterface
import Glibc
import Monitor
import PluginHost

/// Reads files as the broker does: below the root, or through a pipe into which the plugin writes.
struct ByteReader {
  /// The behaviour of the reading end.
  enum Manner: Sendable {
    case whole
    /// Starts late, and pauses.
    case slow
    /// Closes the pipe after the first bytes.
    case stops
  }

  /// Larger files are not read.
  static let limitBytes: Int64 = 64 << 20

  let process: PluginProcess

  struct Transfer {
    var bytes: [UInt8]
    /// The plugin's error; nil if it answered.
    var failure: PluginFailure?
  }

  func transfer(
    locator: String, version: String, from offset: Int64 = 0, length: Int64? = nil, _ manner: Manner = .whole
  ) throws -> Transfer {
    var ends: [Int32] = [-1, -1]
    try expect(pipe(&ends) == 0, "No pipe could be made here (errno \(errno)); try again.")
    let (reader, writer) = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let result = Monitor<[UInt8]?>(nil)
    guard
      DetachedThread.start({
        let bytes = Self.drain(reader, manner)
        result.change { $0 = bytes }
      })
    else {
      close(reader)
      close(writer)
      throw Complaint("No thread could be started here; try again.")
    }
    var failure: PluginFailure?
    do {
      defer { close(writer) }
      _ = try process.call(
        Plugin.Read.self,
        .init(locator: locator, contentVersion: version, offset: offset, length: length, descriptor: 0),
        descriptor: writer, within: .seconds(60))
    } catch let error as PluginFailure { failure = error }
    guard let bytes = result.wait(until: .after(.seconds(10)), for: { $0 }) else {
      process.end()
      throw Complaint("It answered Read and kept the pipe open. Close the descriptor after each call.")
    }
    return Transfer(bytes: bytes, failure: failure)
  }

  /// Reads a file to its end and checks the number of bytes.
  func bytes(of file: Plugin.File, from offset: Int64 = 0, _ manner: Manner = .whole) throws -> [UInt8] {
    let transfer = try transfer(locator: file.locator, version: file.contentVersion, from: offset, manner)
    if let failure = transfer.failure { throw failure }
    let expected = max(0, file.size - offset)
    try expect(
      Int64(transfer.bytes.count) == expected,
      """
      It wrote \(transfer.bytes.count) bytes from offset \(offset), but the listed size leaves \(expected). List \
      the size that Read writes.
      """)
    return transfer.bytes
  }

  /// Reads a range of a file and checks the number of bytes.
  func bytes(of file: Plugin.File, in range: Range<Int64>) throws -> [UInt8] {
    let transfer = try transfer(
      locator: file.locator, version: file.contentVersion, from: range.lowerBound,
      length: range.upperBound - range.lowerBound)
    if let failure = transfer.failure { throw failure }
    let expected = max(0, min(range.upperBound, file.size) - range.lowerBound)
    try expect(
      Int64(transfer.bytes.count) == expected,
      """
      Read of \(range.count) bytes at offset \(range.lowerBound) wrote \(transfer.bytes.count) instead of \
      \(expected). Stop at length, or do not offer ranges.
      """)
    return transfer.bytes
  }

  private static func drain(_ reader: Int32, _ manner: Manner) -> [UInt8] {
    defer { close(reader) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 18)
    if case .slow = manner { usleep(300_000) }
    while Int64(bytes.count) <= limitBytes + 1 {
      let count = read(reader, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += piece[..<count]
      if case .stops = manner { break }
      if case .slow = manner, bytes.count < 1 << 20 { usleep(20_000) }
    }
    return bytes
  }

  static func bytes(of file: Plugin.File, below root: String) throws -> [UInt8] {
    let descriptor = open(root + "/" + file.locator, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    try expect(
      descriptor >= 0,
      "A listed file cannot be opened below the root (\(String(cString: strerror(errno)))). List existing files only.")
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw Complaint("A listed file is not a regular file. List photos only.")
    }
    guard Int64(facts.st_size) == file.size else {
      close(descriptor)
      throw Complaint(
        "A listed file has \(facts.st_size) bytes, but its listed size is \(file.size). List its true size.")
    }
    return drain(descriptor, .whole)
  }
}
