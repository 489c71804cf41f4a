import Broker
import Limits
import PhotoModel
import Varlink

/// One page of a list of unbounded length: as many items as one message holds.
///
/// A cursor names the last item of the previous page by its sort key. So no item is left out or
/// repeated if others come and go between two pages. It begins with a digest, which detects cursors
/// of other lists.
struct ListPage<Item: VarlinkEncodable> {
  private(set) var items: [Item] = []
  /// Cursor of the next page; nil: this is the last one.
  private(set) var cursor: String?

  /// Bytes of a message that are kept for its other fields.
  private static var reservedBytes: Int { 1 << 16 }

  /// - Parameters:
  /// - all: The items in the order of their keys.
  /// - key: An item's sort key, compared byte by byte; no two are equal.
  /// - Throws: `invalidCursor` for a malformed cursor.
  init<Source: Sequence>(
    _ all: Source, after cursor: String?, key: (Source.Element) -> String, _ shown: (Source.Element) -> Item
  ) throws(CallFailure) {
    let passed = try cursor.map { cursor throws(CallFailure) in try Self.key(of: cursor) }
    var left = WireLimits.frameBytes - Self.reservedBytes
    var last: Source.Element?
    for element in all {
      if let passed, !key(element).isAfter(passed) { continue }
      let item = shown(element)
      left -= item.encodedBytes + 1
      if let last, left < 0 {
        self.cursor = Self.digest(of: key(last)) + key(last)
        return
      }
      items.append(item)
      last = element
    }
  }

  static func key(of cursor: String) throws(CallFailure) -> String {
    let key = String(decoding: cursor.utf8.dropFirst(digest(of: "").utf8.count), as: UTF8.self)
    guard cursor == digest(of: key) + key else { throw .broker(.invalidCursor("of this list")) }
    return key
  }

  /// FNV-1a, 64 bits. It detects cursors of other lists, and protects nothing.
  private static func digest(of key: String) -> String {
    Hex.text(
      "\(Item.self) \(key)".utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
  }

  /// Number of a page's items that fit into one message; at least one.
  static func fitting(_ items: [Item]) -> Int {
    var left = WireLimits.frameBytes - reservedBytes
    let tooMany = items.firstIndex { item in
      left -= item.encodedBytes + 1
      return left < 0
    }
    return max(tooMany ?? items.count, min(items.count, 1))
  }
}

extension VarlinkEncodable {
  fileprivate var encodedBytes: Int {
    var writer = JSONWriter()
    encode(to: &writer)
    return writer.count
  }
}

extension String {
  fileprivate func isAfter(_ other: String) -> Bool { other.utf8.lexicographicallyPrecedes(utf8) }

  /// A non-negative number as a text that sorts like it.
  static func key(_ number: Int64) -> String {
    let digits = String(Swift.max(number, 0))
    return String(repeating: "0", count: 19 - digits.count) + digits
  }
}
