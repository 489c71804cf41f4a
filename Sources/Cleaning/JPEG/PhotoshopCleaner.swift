/// Photoshop's blocks in a JPEG segment. The resolution and the cleaned IPTC stay; a block of
/// zeros replaces the others.
struct PhotoshopCleaner {
  let blocks: Window
  let draft: Draft

  private static let resolution = 0x03ed
  private static let iptc = 0x0404

  /// A block of a plug-in.
  private static let plugin = 0x0fa0

  private static func header(_ identifier: Int, _ count: Int) -> [UInt8] {
    [UInt8]("8BIM".utf8) + [UInt8(identifier >> 8), UInt8(identifier & 0xff), 0, 0]
      + (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
  }

  func clean() throws(Uncleanable) {
    var cleaned: [UInt8] = []
    var position = 0
    while position + 12 <= blocks.count, blocks.starts(with: "8BIM", at: position) {
      let identifier = try blocks.number(position + 4, 2)
      // Name and data are padded to an even length.
      let nameBytes = (Int(try blocks.byte(position + 6)) + 2) & ~1
      let header = position + 6 + nameBytes
      let count = try blocks.number(header, 4)
      let data = try blocks.part(header + 4, count)
      if identifier == Self.resolution || identifier == Self.iptc {
        var content = try data.all()
        if identifier == Self.iptc { content = try IPTCDatasets.cleaned(content, draft.withheld) }
        cleaned += Self.header(identifier, content.count) + content
        if content.count % 2 == 1 { cleaned.append(0) }
      }
      position = header + 4 + count + count % 2
    }
    let padding = try blocks.from(min(position, blocks.count)).all()
    guard padding.allSatisfy({ $0 == 0 }) else { throw .damaged }
    guard cleaned.count <= blocks.count else { throw .damaged }
    // Readers warn about zeros behind the blocks, but not about a block of zeros.
    let rest = (blocks.count - cleaned.count) & ~1
    if rest >= 12 { cleaned += Self.header(Self.plugin, rest - 12) }
    try draft.write(cleaned, at: blocks.start)
    try draft.fill((blocks.start + cleaned.count)..<(blocks.start + blocks.count))
  }
}
