import Glibc
import PluginKit

/// Checks a shared object before it is loaded, because the loader crashes on a truncated file
/// (SIGBUS).
///
/// Source: https://gabi.xinuos.com/elf/02-eheader.html
enum SharedObjectFile {
  #if arch(arm64)
    private static let machine = 183
  #else
    private static let machine = 62
  #endif

  private struct Segment {
    var kind, offset, address, bytes: Int
  }

  // Segment types, and tags of the dynamic section.
  private static let (load, dynamic) = (1, 2)
  private static let (endTag, neededTag, stringsTag) = (0, 1, 5)

  /// - Returns: the names of the needed libraries.
  /// - Throws: `unsupported` for a missing or truncated file, or one that is no 64-bit shared
  ///   object for this machine.
  static func check(_ path: String) throws(PluginFailure) -> [String] {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw refusal("it cannot be opened (\(String(cString: strerror(errno))))") }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { throw refusal("it is not a regular file") }
    let segments = try segments(of: file, size: Int(facts.st_size))
    return try neededNames(of: file, segments)
  }

  private static func segments(of file: Int32, size: Int) throws(PluginFailure) -> [Segment] {
    let header = bytes(of: file, at: 0, count: 64)
    guard header.count == 64, header[0..<4].elementsEqual([0x7f, 0x45, 0x4c, 0x46]) else {
      throw refusal("it is not a shared object")
    }
    guard header[4] == 2, header[5] == 1, number(header, 16, 2) == 3, number(header, 18, 2) == machine else {
      throw refusal("it is not a shared object for this kind of machine")
    }
    let (table, entryBytes, entries) = (number(header, 32, 8), number(header, 54, 2), number(header, 56, 2))
    guard entryBytes == 56, (1...512).contains(entries), table >= 64, table < 1 << 40 else {
      throw refusal("its headers are invalid")
    }
    // Linkers put the section table last. It is not loaded, but without it the file is truncated.
    let sections = number(header, 40, 8).addingReportingOverflow(number(header, 58, 2) * number(header, 60, 2))
    guard !sections.overflow, (0...size).contains(sections.partialValue) else {
      throw refusal("it is truncated. Install it again")
    }
    let read = bytes(of: file, at: table, count: entries * entryBytes)
    guard read.count == entries * entryBytes else { throw refusal("it is truncated. Install it again") }
    var segments: [Segment] = []
    for start in stride(from: 0, to: read.count, by: entryBytes) {
      let segment = Segment(
        kind: number(read, start, 4), offset: number(read, start + 8, 8), address: number(read, start + 16, 8),
        bytes: number(read, start + 32, 8))
      let end = segment.offset.addingReportingOverflow(segment.bytes)
      guard segment.offset >= 0, segment.address >= 0, segment.bytes >= 0, !end.overflow, end.partialValue <= size
      else {
        throw refusal("it is truncated. Install it again")
      }
      segments.append(segment)
    }
    return segments
  }

  /// Reads the needed libraries from the dynamic section, at the loader's addresses.
  private static func neededNames(of file: Int32, _ segments: [Segment]) throws(PluginFailure) -> [String] {
    guard let section = segments.first(where: { $0.kind == dynamic }), section.bytes <= 1 << 20 else {
      throw refusal("it has no dynamic section")
    }
    let entries = bytes(of: file, at: section.offset, count: section.bytes)
    var places: [Int] = []
    var strings: Int?
    for start in stride(from: 0, to: entries.count - 15, by: 16) {
      let (tag, value) = (number(entries, start, 8), number(entries, start + 8, 8))
      if tag == endTag { break }
      if tag == neededTag { places.append(value) }
      if tag == stringsTag { strings = value }
    }
    guard !places.isEmpty else { return [] }
    guard places.count <= 256, let strings,
      let segment = segments.first(where: {
        $0.kind == load && strings >= $0.address && strings - $0.address < $0.bytes
      })
    else { throw refusal("its dynamic section is invalid") }
    let limit = segment.offset + segment.bytes
    var names: [String] = []
    for place in places {
      let start = (segment.offset + (strings - segment.address)).addingReportingOverflow(place)
      guard place >= 0, !start.overflow, start.partialValue < limit else {
        throw refusal("its dynamic section is invalid")
      }
      let text = bytes(of: file, at: start.partialValue, count: min(256, limit - start.partialValue))
      guard let end = text.firstIndex(of: 0), end > 0 else { throw refusal("its dynamic section is invalid") }
      names.append(String(decoding: text[..<end], as: UTF8.self))
    }
    return names
  }

  static func refusal(_ reason: String) -> PluginFailure {
    PluginFailure(.unsupported, "The plugin cannot be loaded: \(reason).")
  }

  private static func bytes(of file: Int32, at offset: Int, count: Int) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    let read = pread(file, &buffer, count, off_t(offset))
    return Array(buffer.prefix(max(0, read)))
  }

  /// Reads little-endian; 2^63 and more become negative and fail the comparisons.
  private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> Int {
    guard start >= 0, start + count <= bytes.count else { return -1 }
    return Int(bitPattern: bytes[start..<(start + count)].reversed().reduce(UInt(0)) { $0 << 8 | UInt($1) })
  }
}
