import Broker
import Catalogue
import Cryptography
import Delivery
import Limits
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

  let source: FileSource
  let cache = SealedCopyCache<Key>(byteLimit: cacheBytes, entryLimit: cacheEntries)

  /// What came from afar, on disk; nil where files are near.
  private let disk: DiskCopies?

  init(source: FileSource, disk: DiskCopies? = nil) {
    self.source = source
    self.disk = disk
  }

  @Sendable static func digest(_ bytes: UnsafeRawBufferPointer) throws(DeliveryError) -> [UInt8] {
    do throws(CryptographyError) { return try SHA256.digest(of: Span(_unsafeBytes: bytes)).bytes } catch { throw .notHashed }
  }

  static func key(_ app: AppIdentifier, _ asset: AssetNumber, _ resource: ResourceRecord) -> Key {
    Key(app: app, asset: asset, locator: resource.locator, contentVersion: resource.contentVersion)
  }

  /// Blocks: on a worker only.
  /// - Parameters:
  ///   - digest: Of the bytes, where it is known.
  ///   - progress: Told how many bytes have come from afar; false ends it.
  func copy(_ key: Key, digest: [UInt8]?, progress: @escaping (Int) -> Bool = { _ in true }) throws(DeliveryError) -> SealedCopy {
    try cache.copy(for: key) { () throws(DeliveryError) in
      guard let disk, let name = Self.name(onDisk: key) else { return try fetch(key, digest, progress) }
      if let kept = disk.copy(name, limitBytes: ServiceLimits.resourceBytes) {
        _ = progress(kept.byteCount)
        return kept
      }
      let age = disk.age
      let copy = try fetch(key, digest, progress)
      disk.keep(copy, name, since: age)
      return copy
    }
  }

  private func fetch(_ key: Key, _ digest: [UInt8]?, _ progress: @escaping (Int) -> Bool) throws(DeliveryError) -> SealedCopy {
    try source.copy(
      key.locator, contentVersion: key.contentVersion, digest: digest, limitBytes: ServiceLimits.resourceBytes, progress: progress)
  }

  /// Whether a resource's place holds another file by now, which is none of the asset's. Blocks: on a worker only.
  /// - Throws: where that cannot be seen.
  func isReplaced(_ resource: ResourceRecord) throws(DeliveryError) -> Bool {
    do throws(DeliveryError) {
      return try source.isReplaced(
        resource.locator, contentVersion: resource.contentVersion, digest: resource.digest, limitBytes: ServiceLimits.resourceBytes)
    } catch {
      guard error.code == .notFound else { throw error }
      return false
    }
  }

  /// An app's copies are a group: they go with what it may read.
  private static func name(onDisk key: Key) -> DiskCopies.Key? {
    let text = "\(key.asset.rawValue) \(key.contentVersion.utf8.count) \(key.contentVersion)\(key.locator)"
    guard let digest = try? SHA256.digest(of: Array(text.utf8)).bytes else { return nil }
    return DiskCopies.Key(group: key.app.description, item: key.asset.rawValue, digest: digest)
  }
}
