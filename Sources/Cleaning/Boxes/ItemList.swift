/// The types and places of items.
enum ItemList {
  struct ItemType {
    let type: FourCC
    /// The media type of an item of type `mime`.
    let content: String
  }

  struct Item {
    let identifier: Int
    let extents: [Window]
  }

  private static let limit = 65_536

  static func types(_ information: Box) throws(Uncleanable) -> [Int: ItemType] {
    let version = try information.payload.byte(0)
    var types: [Int: ItemType] = [:]
    for entry in try Boxes.all(in: information.content(version == 0 ? 6 : 8)) where entry.type == "infe" {
      let payload = entry.payload
      let entryVersion = try payload.byte(0)
      guard entryVersion == 2 || entryVersion == 3 else { throw .unsupported }
      let wide = entryVersion == 3 ? 2 : 0
      let identifier = try payload.number(4, 2 + wide)
      let type = FourCC(try payload.number(8 + wide, 4))
      // The item's name, then its media type and encoding.
      let texts = try payload.bytes(12 + wide, min(payload.count - 12 - wide, 1_024))
        .split(separator: 0, omittingEmptySubsequences: false)
      var content = ""
      // Encoded content is not read.
      if texts.count >= 2, texts.count < 3 || texts[2].isEmpty { content = String(decoding: texts[1], as: UTF8.self) }
      guard types.updateValue(ItemType(type: type, content: content), forKey: identifier) == nil else {
        throw .damaged
      }
    }
    return types
  }

  static func locations(_ box: Box, file: Window, inside: Window?) throws(Uncleanable) -> [Item] {
    let payload = box.payload
    let version = Int(try payload.byte(0))
    guard version <= 2 else { throw .unsupported }
    let sizes = try payload.number(4, 2)
    var cursor = Cursor(window: payload, position: 6)
    let (offsetBytes, lengthBytes, baseBytes) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
    let indexBytes = version == 0 ? 0 : sizes & 15
    let count = try cursor.number(version < 2 ? 2 : 4)
    var items: [Item] = []
    var extentCount = 0
    for _ in 0..<count {
      let identifier = try cursor.number(version < 2 ? 2 : 4)
      let method = version == 0 ? 0 : try cursor.number(2) & 15
      // A reference to another file or another item's content.
      guard method <= 1, try cursor.number(2) == 0 else { throw .unsupported }
      let base = try cursor.number(baseBytes)
      var extents: [Window] = []
      for _ in 0..<(try cursor.number(2)) {
        extentCount += 1
        guard extentCount <= limit else { throw .tooComplex }
        _ = try cursor.number(indexBytes)
        let offset = base + (try cursor.number(offsetBytes))
        let length = try cursor.number(lengthBytes)
        guard let home = method == 1 ? inside : file else { throw .damaged }
        // A length of 0 means the rest of the file. A truncated file ends inside an item.
        guard offset <= home.count, length > 0 || lengthBytes > 0 else { throw .damaged }
        if length > 0 { extents.append(try home.part(offset, min(length, home.count - offset))) }
      }
      items.append(Item(identifier: identifier, extents: extents))
    }
    return items
  }

  private struct Cursor {
    let window: Window
    var position: Int

    /// The next number of 0, 2, 4 or 8 bytes.
    mutating func number(_ count: Int) throws(Uncleanable) -> Int {
      defer { position += count }
      switch count {
      case 0: return 0
      case 8: return try window.long(position)
      case 2, 4: return try window.number(position, count)
      default: throw .damaged
      }
    }
  }
}
