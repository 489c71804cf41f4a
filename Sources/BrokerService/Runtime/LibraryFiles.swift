import Broker
import Catalogue
import Delivery
import PhotoModel

/// One library's bytes, as workers reach them: where they are, and the copies that are kept.
final class LibraryFiles: Sendable {
  /// One copy belongs to one app's reading of one state of one file; sharing it between apps would let one app's reading
  /// show in another's time.
  struct Key: Hashable, Sendable {
    let app: AppIdentifier
    let asset: AssetNumber
    let locator: String
    let contentVersion: String
  }

  /// Bytes and copies kept in one library. Each copy costs the daemon a descriptor.
  static let cacheBytes = 256 << 20
  static let cacheEntries = 256
  /// What one resource may hold to be handed over as a copy; larger ones are streamed.
  static let copyLimitBytes = 1 << 30

  let source: FileSource
  let cache = SealedCopyCache<Key>(byteLimit: cacheBytes, entryLimit: cacheEntries)

  init(source: FileSource) { self.source = source }

  static func key(_ app: AppIdentifier, _ asset: AssetNumber, _ resource: ResourceRecord) -> Key {
    Key(app: app, asset: asset, locator: resource.locator, contentVersion: resource.contentVersion)
  }

  /// Blocks: on a worker only.
  /// - Parameter progress: Told how many bytes have come from afar; false ends it.
  func copy(_ key: Key, progress: @escaping (Int) -> Bool = { _ in true }) throws(DeliveryError) -> SealedCopy {
    try cache.copy(for: key) { () throws(DeliveryError) in
      try source.copy(key.locator, contentVersion: key.contentVersion, limitBytes: Self.copyLimitBytes, progress: progress)
    }
  }
}
