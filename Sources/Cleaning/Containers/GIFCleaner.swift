/// GIF.
///
/// Source: https://www.w3.org/Graphics/GIF/spec-gif89a.txt
struct GIFCleaner {
  let file: Window
  let draft: Draft

  private static let blockLimit = 1_000_000
  /// Loop counts and colour profiles.
  private static let keptApplications: Set<String> = ["NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"]

  func clean() throws(Uncleanable) {
    var offset = 13 + Self.tableBytes(try file.byte(10))
    for _ in 0..<Self.blockLimit {
      // A truncated file ends inside its picture.
      guard offset < file.count else { return }
      switch try file.byte(offset) {
      case 0x3b: return try draft.fill((file.start + offset + 1)..<(file.start + file.count))
      case 0x2c:
        let data = offset + 10 + Self.tableBytes(try file.byte(offset + 9)) + 1
        let end = try endOfBlocks(from: data)
        try draft.protect((file.start + min(data, end))..<(file.start + end))
        offset = end
      case 0x21: offset = try cleanExtension(at: offset)
      default: throw .damaged
      }
    }
    throw .tooComplex
  }

  private static func tableBytes(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }

  /// The offset behind the empty block that ends a list of blocks.
  private func endOfBlocks(from start: Int) throws(Uncleanable) -> Int {
    var offset = start
    while offset < file.count {
      let count = Int(try file.byte(offset))
      offset += 1 + count
      if count == 0 { return offset }
    }
    return file.count
  }

  private func cleanExtension(at offset: Int) throws(Uncleanable) -> Int {
    let label = try file.byte(offset + 1)
    let end = try endOfBlocks(from: offset + 2)
    if label == 0xf9 { return end }
    if label == 0xff, try file.byte(offset + 2) == 11 {
      let name = String(decoding: try file.bytes(offset + 3, 11), as: UTF8.self)
      if Self.keptApplications.contains(name) { return end }
    }
    if label == 0xfe, !draft.withheld.contains(.captions),
      !PlaceHints.mayHoldPlace(try file.bytes(offset + 2, end - offset - 2))
    {
      return end
    }
    // A label that no program knows, and blocks of zeros.
    try draft.write([0], at: file.start + offset + 1)
    var position = offset + 2
    while position < end - 1 {
      // XMP is no list of blocks, so that the blocks are made anew. A lone byte would end the list.
      var count = min(256, end - 1 - position)
      if end - 1 - position - count == 1 { count -= 1 }
      guard count >= 2 else { break }
      try draft.write([UInt8(count - 1)], at: file.start + position)
      try draft.fill((file.start + position + 1)..<(file.start + position + count))
      position += count
    }
    return end
  }
}
