import PhotoModel
import PluginKit

/// Cuts a backend's pages so that each fits into one message: paths may be long, and no author should have to count.
struct PageSplitter {
  /// Bytes of one page on the wire, by a generous estimate; a message may have 1 MiB.
  static let pageBytes = 640 << 10
  /// What a file costs beside its texts.
  private static let fileBytes = 256

  /// Begins a token of ours; a backend's own tokens follow a `.` instead.
  private static let restMark = "+"
  private static let ownMark = "."

  private var rest: ArraySlice<StorageItem> = []
  private var restNumber = 0
  /// The backend's token of the page after the one that is being handed out.
  private var following: String?

  /// The page for a token, from what is left of the page before, else from the backend.
  /// - Throws: what the backend throws; `failed` for a token that is not the one given out last.
  mutating func page(
    _ token: String?, from backend: (String?) throws(PluginError) -> ItemPage
  ) throws(PluginError) -> ItemPage {
    var first = ItemPage(items: [], skipped: 0, next: nil)
    if let token, token.hasPrefix(Self.restMark) {
      guard token == Self.restMark + String(restNumber), !rest.isEmpty else {
        throw PluginError(.failed, "This page is not known any more; start with the first one.")
      }
    } else {
      let page = try backend(token.map { String($0.dropFirst(Self.ownMark.count)) })
      rest = page.items[...]
      first = page
      following = page.next
    }
    var bytes = 0
    let end = rest.firstIndex { item in
      bytes += Self.estimate(item)
      return bytes > Self.pageBytes
    }
    // At least one item: the broker refuses what is too long for it by itself.
    let items = rest[..<max(end ?? rest.endIndex, min(rest.startIndex + 1, rest.endIndex))]
    rest = rest[items.endIndex...]
    restNumber += 1
    let next = rest.isEmpty ? following.map { Self.ownMark + $0 } : Self.restMark + String(restNumber)
    return ItemPage(
      items: Array(items), skipped: first.skipped, next: next, unreadable: first.unreadable, volumes: first.volumes)
  }

  private static func estimate(_ item: StorageItem) -> Int {
    ([item.primary] + item.others).reduce(64) { sum, file in
      let texts =
        file.locator.utf8.count + file.filename.utf8.count + file.contentVersion.utf8.count
        + (file.identityHint?.utf8.count ?? 0)
      return sum + fileBytes + texts * 2
    }
  }
}
