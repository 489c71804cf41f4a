import Broker
import Indexer

/// Raw files beside photos of their names: a storage goes by the names, and what is in the files decides.
extension IndexJob {
  /// Parts raw files from the photos of which they are not, where something of either is known:
  /// which asset an item is goes by its files.
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

  /// The same of an item of which nothing is known.
  func parted(_ item: ScannedItem) -> [ScannedItem] { parted(item) { isOfOneExposure(item.primary, $0) } }

  private func parted(_ item: ScannedItem, where belongs: (ScannedItem.File) -> Bool) -> [ScannedItem] {
    let strangers = item.raws.filter { !belongs($0) }
    return strangers.isEmpty ? [item] : item.parted(from: strangers)
  }

  /// A raw file that cannot be looked into is not handed out with the photo. Of a photo that cannot, nothing new is.
  private func isOfOneExposure(_ photo: ScannedItem.File, _ raw: ScannedItem.File) -> Bool {
    guard !isLeftOut(raw) else { return false }
    guard let facts = ownFacts(photo) else { return true }
    return ownFacts(raw)?.isSameExposure(as: facts) ?? false
  }
}
