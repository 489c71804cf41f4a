import Glibc
import PluginKit

/// A look at a shared object before it is loaded: the system's loader does not survive a file that ends too early (SIGBUS).
/// Source: https://gabi.xinuos.com/elf/02-eheader.html
enum SharedObjectFile {
  #if arch(arm64)
    private static let machine = 183
  #else
    private static let machine = 62
  #endif

  /// - Throws: `unsupported`: absent, no 64-bit shared object of this kind of machine, or shorter than its headers say.
  static func check(_ path: String) throws(PluginFailure) {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw refusal("it cannot be opened (\(String(cString: strerror(errno))))") }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { throw refusal("it is no regular file") }
    let header = bytes(of: file, at: 0, count: 64)
    guard header.count == 64, header[0..<4].elementsEqual([0x7f, 0x45, 0x4c, 0x46]) else { throw refusal("it is no shared object") }
    guard header[4] == 2, header[5] == 1, number(header, 16, 2) == 3, number(header, 18, 2) == machine else {
      throw refusal("it is no shared object for this kind of machine")
    }
    let (table, entryBytes, entries) = (number(header, 32, 8), number(header, 54, 2), number(header, 56, 2))
    guard entryBytes == 56, (1...512).contains(entries), table >= 64, table < 1 << 40 else { throw refusal("its headers make no sense") }
    let size = Int(facts.st_size)
    let segments = bytes(of: file, at: table, count: entries * entryBytes)
    guard segments.count == entries * entryBytes else { throw refusal("it is cut off: install it again") }
    for entry in 0..<entries {
      let start = entry * entryBytes
      let end = number(segments, start + 8, 8).addingReportingOverflow(number(segments, start + 32, 8))
      guard !end.overflow, (0...size).contains(end.partialValue) else { throw refusal("it is cut off: install it again") }
    }
  }

  private static func refusal(_ reason: String) -> PluginFailure { PluginFailure(.unsupported, "The plugin cannot be loaded: \(reason).") }

  private static func bytes(of file: Int32, at offset: Int, count: Int) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    let read = pread(file, &buffer, count, off_t(offset))
    return Array(buffer.prefix(max(0, read)))
  }

  /// Little-endian; an offset of 2^63 and more is negative and fails the comparisons.
  private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> Int {
    guard start >= 0, start + count <= bytes.count else { return -1 }
    return Int(bitPattern: bytes[start..<(start + count)].reversed().reduce(UInt(0)) { $0 << 8 | UInt($1) })
  }
}
