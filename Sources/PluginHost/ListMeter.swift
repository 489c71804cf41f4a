import Limits
import PhotoModel
package import PluginKit

/// Detects endless lists, page by page.
package struct ListMeter {
  /// Estimated memory of a file beside its texts.
  private static let fileBytes = 256

  private let limits: PluginAllowance
  private var items = 0
  private var bytes = 0
  private var emptyPages = 0
  private var pages: Set<ExactText> = []

  package init(_ limits: PluginAllowance = PluginAllowance()) { self.limits = limits }

  /// - Returns: the reason to stop; nil to continue.
  package mutating func note(_ page: ItemPage) -> String? {
    items += page.items.count + page.leftOut.count
    for file in page.leftOut { bytes += Self.fileBytes + file.path.utf8.count }
    for item in page.items {
      for file in [item.primary] + item.others {
        let texts =
          file.locator.utf8.count + file.filename.utf8.count + file.contentVersion.utf8.count
          + (file.identityHint?.utf8.count ?? 0)
        bytes += Self.fileBytes + texts
      }
    }
    emptyPages = page.items.isEmpty && page.leftOut.isEmpty ? emptyPages + 1 : 0
    guard items <= limits.listedItems else {
      return "The list does not end, or has more than \(limits.listedItems) photos."
    }
    guard bytes <= limits.listBytes else {
      return "The list does not end, or is larger than \(limits.listBytes >> 20) MiB."
    }
    guard emptyPages <= PluginLimits.emptyPages else {
      return "The list does not end: \(emptyPages) pages without an item in a row."
    }
    guard let next = page.next else { return nil }
    guard next.utf8.count <= 4_096 else { return "A page's name is longer than 4,096 bytes." }
    bytes += next.utf8.count + Self.fileBytes
    guard pages.insert(ExactText(next)).inserted else {
      return "The list does not end: a page leads back to an earlier one."
    }
    return nil
  }
}
