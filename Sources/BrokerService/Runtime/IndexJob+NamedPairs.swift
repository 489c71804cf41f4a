import Broker
import Indexer
import PhotoModel

/// Raw files and edited versions beside photos of the same name. A storage pairs them by name; their
/// contents decide.
extension IndexJob {
  /// Separates files from photos that they do not belong to, because an item's files decide which
  /// asset it is.
  func detached(_ items: [StorageItem], known: [AssetRecord]) -> [StorageItem] {
    let items = StorageItem.joiningRawFolders(items)
    guard items.contains(where: { !$0.pairedByName.isEmpty }) else { return items }
    let pairs = NamedPairs(known: known, factsVersion: media.factsVersion)
    return items.flatMap { item in
      detached(item) { other in
        switch pairs.verdict(item.primary, other) {
        case .together, .new: true
        case .apart: false
        case .open: isOfOneExposure(item.primary, other, orUnreadable: pairs.wereTogether(item.primary, other))
        }
      }
    }
  }

  /// Separates files of an item that the library does not know.
  func detached(_ item: StorageItem) -> [StorageItem] {
    detached(item) { isOfOneExposure(item.primary, $0, orUnreadable: false) }
  }

  private func detached(_ item: StorageItem, where belongs: (ItemFile) -> Bool) -> [StorageItem] {
    let strangers = item.pairedByName.filter { !belongs($0) }
    return strangers.isEmpty ? [item] : item.detached(from: strangers)
  }

  /// A file that cannot be read is separated.
  /// - Parameter wereTogether: The answer for a photo that cannot be read: it keeps the files of its
  ///   asset, and takes no others along.
  private func isOfOneExposure(
    _ photo: ItemFile, _ other: ItemFile, orUnreadable wereTogether: Bool
  ) -> Bool {
    guard !isLeftOut(other) else { return false }
    guard !isLeftOut(photo), let facts = reader.ownFacts(photo) else { return wereTogether }
    guard let others = reader.ownFacts(other) else { return false }
    return other.role == .edited ? !others.contradicts(facts) : others.isSameExposure(as: facts)
  }
}
