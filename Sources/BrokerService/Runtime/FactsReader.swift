import Broker
import Catalogue
import Delivery
import Indexer
import Limits
import PhotoModel
import PluginHost
import UnixSocket

/// Reads the facts and digests of a storage's files for one scan.
final class FactsReader {
  struct Found {
    var facts: ItemFacts
    var proof: ContentProof
  }

  /// Most bytes of an XMP file. These copies wait for no memory; a larger file is ignored.
  static let sidecarLimitBytes: Int64 = 32 << 20

  private let files: LibraryFiles
  private let media: any LibraryMedia
  /// Cancels the read of a long file.
  private let looking: Transfer
  /// Facts of files that were read early, to pair raw files and photos; nil for unreadable ones.
  private var looked: [[ExactText]: Found?] = [:]

  init(files: LibraryFiles, media: any LibraryMedia, looking: Transfer) {
    self.files = files
    self.media = media
    self.looking = looking
  }

  /// Forgets the facts that were read early.
  func forget() { looked = [:] }

  /// The facts of a file without its sidecar; nil if it cannot be read. They are kept for the rest
  /// of the scan.
  func ownFacts(_ file: ItemFile) -> ItemFacts? {
    let state = Self.state(of: file)
    if let known = looked[state] { return known?.facts }
    let found = try? found(in: StorageItem(primary: file))
    looked[state] = .some(found)
    return found?.facts
  }

  private static func state(of file: ItemFile) -> [ExactText] {
    [ExactText(file.locator), ExactText(file.contentVersion)]
  }

  /// - Parameter bySignature: Whether the type alone is read, since decoders failed.
  func found(in item: StorageItem, bySignature: Bool = false) throws(LookFailure) -> Found {
    if item.xmpSidecar == nil, let known = looked.removeValue(forKey: Self.state(of: item.primary)) ?? nil {
      return known
    }
    if let large = try foundInPlace(item, bySignature: bySignature) { return large }
    if let far = FarLook(item.primary, files.source),
      let found = try far.look(media, sidecar: sidecar(of: item), bySignature: bySignature)
    {
      return Found(
        facts: found.facts, proof: ContentProof(digest: Self.toldDigest(item.primary), endsDigest: found.endsDigest))
    }
    let original: SealedCopy
    do throws(DeliveryError) {
      original = try copy(item.primary, memory: files.memory(for: item.primary.size, looking))
    } catch {
      throw .delivery(error)
    }
    do throws(MediaFailure) {
      let facts = try readFacts(original.descriptor, item, bySignature: bySignature)
      return Found(facts: facts, proof: ContentProof(digest: original.digest))
    } catch { throw .media(error) }
  }

  /// A remote file that needs more than some ranges is read in full.
  func largestServed(_ file: ItemFile) -> Int64 {
    file.size > files.largestServed ? files.largestServed : Int64(ServiceLimits.openedBytes)
  }

  private func readFacts(_ descriptor: borrowing FileDescriptor, _ item: StorageItem, bySignature: Bool)
    throws(MediaFailure) -> ItemFacts
  {
    guard !bySignature else { return try media.signature(descriptor, name: item.primary.filename) }
    return try media.facts(descriptor, sidecar: sidecar(of: item), name: item.primary.filename)
  }

  /// The facts of a local file that is too large to be copied; nil for others.
  private func foundInPlace(_ item: StorageItem, bySignature: Bool) throws(LookFailure) -> Found? {
    let file = item.primary
    guard file.size <= files.largestServed else { throw .delivery(.tooLarge) }
    guard files.isReadInParts(file.size) else { return nil }
    var failure: MediaFailure?
    do throws(DeliveryError) {
      guard
        let opened = try files.source.openInPlace(file.locator, contentVersion: file.contentVersion, size: file.size)
      else {
        return nil
      }
      let ends = try FarLook.endsDigest(of: opened)
      let facts = try opened.lend { descriptor throws(DeliveryError) in
        do throws(MediaFailure) {
          return try readFacts(descriptor, item, bySignature: bySignature)
        } catch {
          failure = error
          throw .timedOut
        }
      }
      return Found(facts: facts, proof: ContentProof(endsDigest: ends))
    } catch { throw failure.map { .media($0) } ?? .delivery(error) }
  }

  private func sidecar(of item: StorageItem) -> SealedCopy? {
    item.xmpSidecar.flatMap { $0.size <= Self.sidecarLimitBytes ? try? copy($0, memory: nil) : nil }
  }

  /// - Parameter memory: The copy's share of the memory for copies.
  func copy(_ file: ItemFile, memory: SharedAllowance.Share?) throws(DeliveryError) -> SealedCopy {
    guard file.size <= ServiceLimits.openedBytes else { throw .tooLarge }
    return try files.source.copy(
      file.locator, contentVersion: file.contentVersion, size: file.size, limitBytes: ServiceLimits.openedBytes,
      hasher: LibraryFiles.digest, memory: memory, progress: { [looking] in looking.note($0) })
  }

  func digest(of file: ItemFile, _ kind: ContentProof.Kind) -> [UInt8]? {
    switch kind {
    case .digest: try? files.digest(file.locator, contentVersion: file.contentVersion, size: file.size, looking)
    case .endsDigest:
      files.source.isFar ? FarLook(file, files.source).flatMap { try? $0.endsDigest() } : nearEndsDigest(of: file)
    }
  }

  /// Digests of an item's other files. A companion that returns without its photo, from wherever,
  /// restores that photo's asset with it (``MissingAsset``). Nil for sidecars, for known digests, for
  /// hashes from the storage, and for unreadable files.
  func companionProofs(_ item: StorageItem, known: AssetRecord? = nil) -> [ContentProof?] {
    item.others.map { file in
      guard file.role != .sidecar, !ItemFile.isHash(file.contentVersion),
        known.flatMap({ AssetBuilder.knownProof(of: file, in: $0) }) == nil
      else { return nil }
      if let known = looked.removeValue(forKey: Self.state(of: file)) ?? nil { return known.proof }
      // Remote files without range reads are not fetched for this.
      let isByEnds = files.source.isFar ? FarLook(file, files.source) != nil : files.isReadInParts(file.size)
      guard isByEnds || !files.source.isFar || file.size <= Int64(FarLook.smallBytes) else { return nil }
      let found = digest(of: file, isByEnds ? .endsDigest : .digest)
      return isByEnds ? ContentProof(endsDigest: found) : ContentProof(digest: found)
    }
  }

  private func nearEndsDigest(of file: ItemFile) -> [UInt8]? {
    guard let opened = try? files.source.openInPlace(file.locator, contentVersion: file.contentVersion, size: file.size)
    else { return nil }
    return try? FarLook.endsDigest(of: opened)
  }

  /// The SHA-256 that the storage itself gives for a file.
  private static func toldDigest(_ file: ItemFile) -> [UInt8]? {
    let prefix = ItemFile.contentVersion(hash: "sha256:")
    guard file.contentVersion.hasPrefix(prefix) else { return nil }
    let digest = Hex.bytes(file.contentVersion.dropFirst(prefix.count).lowercased())
    return digest?.count == 32 ? digest : nil
  }
}

extension StorageItem {
  /// A camera's small picture (.THM) is also a sidecar, but only XMP is read.
  var xmpSidecar: ItemFile? { sidecars.first { $0.filename.lowercased().hasSuffix(".xmp") } }

  /// Without those of a Live Photo's video, which follow it.
  var sidecars: [ItemFile] { others.prefix { $0.role != .pairedVideo }.filter { $0.role == .sidecar } }
}

enum LookFailure: Error {
  case delivery(DeliveryError)
  case media(MediaFailure)
}
