/// Numbers and directories of a TIFF structure in its byte order.
struct TIFFReader {
  let data: Window
  let isLittle: Bool

  func number(_ offset: Int, _ count: Int) throws(Uncleanable) -> Int {
    try data.number(offset, count, isLittle: isLittle)
  }

  /// A number in this byte order.
  func bytes(_ value: Int, _ count: Int) -> [UInt8] {
    let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return isLittle ? little : little.reversed()
  }

  private static let typeBytes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]

  struct Entry {
    let tag: Int
    let type: Int
    let count: Int
    /// All twelve bytes.
    let bytes: [UInt8]
    /// The offset of the value, inside the entry or elsewhere.
    let value: Int
    let valueBytes: Int

    /// Whether the value stands outside the entry.
    var isRemote: Bool { valueBytes > 4 }
  }

  struct Directory {
    let offset: Int
    let entries: [Entry]
    /// The number of entries as stored, with those that cannot be read.
    let storedCount: Int
    /// Nil if the file ends before it.
    let next: Int?

    /// The bytes of the stored directory.
    var byteCount: Int { 2 + 12 * storedCount + (next == nil ? 0 : 4) }
  }

  /// Reads a directory. Entries with an unknown type or an impossible value are left out, and so are
  /// later ones of the same tag. The offset
  /// of the next directory counts only in a chain; elsewhere some programs leave it out.
  func directory(at offset: Int, inChain: Bool = false) throws(Uncleanable) -> Directory {
    let count = try number(offset, 2)
    let table = try data.bytes(offset + 2, 12 * count)
    let end = offset + 2 + 12 * count
    let next = inChain && data.count - end >= 4 ? try number(end, 4) : nil
    var entries: [Entry] = []
    var tags: Set<Int> = []
    for index in 0..<count {
      let bytes = Array(table[(12 * index)..<(12 * index + 12)])
      let entry = entry(bytes, at: offset + 2 + 12 * index)
      if let entry, tags.insert(entry.tag).inserted { entries.append(entry) }
    }
    return Directory(offset: offset, entries: entries, storedCount: count, next: next)
  }

  private func entry(_ bytes: [UInt8], at offset: Int) -> Entry? {
    let tag = value(bytes[0..<2])
    let type = value(bytes[2..<4])
    let count = value(bytes[4..<8])
    guard Self.typeBytes.indices.contains(type), type > 0, count > 0 else { return nil }
    let valueBytes = count * Self.typeBytes[type]
    let value = valueBytes > 4 ? value(bytes[8..<12]) : offset + 8
    guard value <= data.count, valueBytes <= data.count - value else { return nil }
    return Entry(tag: tag, type: type, count: count, bytes: bytes, value: value, valueBytes: valueBytes)
  }

  private func value(_ bytes: ArraySlice<UInt8>) -> Int {
    isLittle ? bytes.reversed().reduce(0) { $0 << 8 | Int($1) } : bytes.reduce(0) { $0 << 8 | Int($1) }
  }

  /// The unsigned numbers of an entry; empty for other types.
  func numbers(_ entry: Entry) throws(Uncleanable) -> [Int] {
    guard [1, 3, 4, 13].contains(entry.type) else { return [] }
    let size = Self.typeBytes[entry.type]
    let bytes = try data.bytes(entry.value, entry.valueBytes)
    return stride(from: 0, to: bytes.count - size + 1, by: size).map { value(bytes[$0..<($0 + size)]) }
  }
}
