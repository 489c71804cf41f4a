import PhotoModel
import PluginKit

/// Splits a backend's pages so that each fits into one message, however long its paths are.
struct PageSplitter {
  /// Generous estimate of a page's bytes on the wire; a message may have 1 MiB.
  static let pageBytes = 640 << 10
  /// Estimated bytes of a file beside its texts.
  private static let fileBytes = 256

  /// Prefix of our own tokens. A backend's tokens get the other prefix.
  private static let restMark = "+"
  private static let ownMark = "."

  private var rest: ArraySlice<StorageItem> = []
  private var restOut: ArraySlice<LeftOutFile> = []
  private var restNumber = 0
  /// The backend's token after the current page.
  private var following: String?

  /// Returns the page of a token, from the rest of the last page or from the backend.
  /// - Throws: the backend's error; `failed` for a token that is not the last one.
  mutating func page(
    _ token: String?, from backend: (String?) throws(PluginError) -> ItemPage
  ) throws(PluginError) -> ItemPage {
    var first = ItemPage(items: [], skipped: 0, next: nil)
    if let token, token.hasPrefix(Self.restMark) {
      guard token == Self.restMark + String(restNumber), !rest.isEmpty || !restOut.isEmpty else {
        throw PluginError(.failed, "This page of the list has expired. Start with the first page.")
      }
    } else {
      let page = try backend(token.map { String($0.dropFirst(Self.ownMark.count)) })
      (rest, restOut) = (page.items[...], page.leftOut[...])
      first = page
      following = page.next
    }
    var bytes = 0
    let end = rest.firstIndex { item in
      bytes += Self.estimate(item)
      return bytes > Self.pageBytes
    }
    // At least one item. The broker refuses a single item that is too long.
    let items = rest[..<max(end ?? rest.endIndex, min(rest.startIndex + 1, rest.endIndex))]
    rest = rest[items.endIndex...]
    let leftOut =
      rest.isEmpty
      ? restOut.prefix { file in
        bytes += 64 + file.path.utf8.count * 2
        return bytes <= Self.pageBytes
      } : []
    restOut = restOut.dropFirst(leftOut.count)
    restNumber += 1
    let next =
      rest.isEmpty && restOut.isEmpty ? following.map { Self.ownMark + $0 } : Self.restMark + String(restNumber)
    return ItemPage(
      items: Array(items), skipped: first.skipped, next: next, unreadable: first.unreadable, volumes: first.volumes,
      leftOut: Array(leftOut))
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
