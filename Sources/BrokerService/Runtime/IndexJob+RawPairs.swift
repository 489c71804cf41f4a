import Broker
import Indexer

/// Raw files beside photos of the same name. A storage pairs them by name; their contents decide.
extension IndexJob {
  /// Separates raw files from photos that they do not belong to, because an item's files decide
  /// which asset it is.
  func parted(_ items: [ScannedItem], known: [AssetRecord]) -> [ScannedItem] {
    guard items.contains(where: { !$0.raws.isEmpty }) else { return items }
    let pairs = RawPairs(known: known, factsVersion: media.factsVersion)
    return items.flatMap { item in
      parted(item) { raw in
        switch pairs.verdict(item.primary, raw) {
        case .together, .new: true
        case .apart: false
        case .open: isOfOneExposure(item.primary, raw)
        }
      }
    }
  }

  /// Separates raw files of an item that the library does not know.
  func parted(_ item: ScannedItem) -> [ScannedItem] { parted(item) { isOfOneExposure(item.primary, $0) } }

  private func parted(_ item: ScannedItem, where belongs: (ScannedItem.File) -> Bool) -> [ScannedItem] {
    let strangers = item.raws.filter { !belongs($0) }
    return strangers.isEmpty ? [item] : item.parted(from: strangers)
  }

  /// A raw file that cannot be read is separated. An unreadable photo keeps its pairs.
  private func isOfOneExposure(_ photo: ScannedItem.File, _ raw: ScannedItem.File) -> Bool {
    guard !isLeftOut(raw) else { return false }
    guard let facts = ownFacts(photo) else { return true }
    return ownFacts(raw)?.isSameExposure(as: facts) ?? false
  }
}
