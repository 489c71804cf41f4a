import PhotoModel
import PluginKit
import Testing

@testable import PluginHost

struct PageSplitterTests {
  static func item(_ number: Int, pathBytes: Int) -> StorageItem {
    let name = "\(number).jpg"
    return StorageItem(
      primary: ItemFile(
        role: .original, locator: String(repeating: "p", count: pathBytes) + name, filename: name, size: 1,
        contentVersion: "1",
        identityHint: nil, modified: Timestamp(microseconds: 0)))
  }

  /// Returns one of a backend's two pages; the second is named `two`.
  static func backend(_ token: String?, pathBytes: Int) throws(PluginError) -> ItemPage {
    switch token {
    case nil: ItemPage(items: (0..<2_000).map { item($0, pathBytes: pathBytes) }, skipped: 3, next: "two")
    case "two": ItemPage(items: (2_000..<4_000).map { item($0, pathBytes: pathBytes) }, skipped: 4, next: nil)
    default: throw PluginError(.failed, "unknown page")
    }
  }

  @Test(arguments: [(10, 4), (200, 6), (4_000, 50)]) func `pages of any size arrive whole`(
    _ pathBytes: Int, _ atLeast: Int
  ) throws {
    var splitter = PageSplitter()
    var items: [StorageItem] = []
    var skipped = 0
    var pages = 0
    var token: String?
    repeat {
      let page = try splitter.page(token) { (token) throws(PluginError) in try Self.backend(token, pathBytes: pathBytes)
      }
      #expect(page.items.reduce(0) { $0 + $1.primary.locator.utf8.count } <= PageSplitter.pageBytes)
      items += page.items
      skipped += page.skipped
      token = page.next
      pages += 1
    } while token != nil
    #expect(items == (0..<4_000).map { Self.item($0, pathBytes: pathBytes) })
    #expect(skipped == 7)
    #expect(pages >= atLeast)
  }

  @Test func `an old token is refused, and a new start is accepted`() throws {
    var splitter = PageSplitter()
    let first = try splitter.page(nil) { (token) throws(PluginError) in try Self.backend(token, pathBytes: 4_000) }
    _ = try splitter.page(first.next) { (token) throws(PluginError) in try Self.backend(token, pathBytes: 4_000) }
    #expect(throws: PluginError.self) {
      try splitter.page(first.next) { (token) throws(PluginError) in try Self.backend(token, pathBytes: 4_000) }
    }
    let again = try splitter.page(nil) { (token) throws(PluginError) in try Self.backend(token, pathBytes: 4_000) }
    #expect(again.items == first.items)
  }
}
