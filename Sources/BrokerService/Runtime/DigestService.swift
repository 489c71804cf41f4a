import Broker
import Catalogue
import Delivery
import EventLoop
import Macaroons
import Monitor
import PhotoModel

/// Digests of one library's remote and large files, computed when first needed, then stored; and of
/// files without withheld facts, which are kept in memory.
final class DigestService: LibraryService {
  /// Timeout of one call; the next call continues from there.
  static let patience = Duration.seconds(20)

  let context: LibraryContext
  private let bytes: ByteService
  private let opened: OpenedStorage
  /// Dropped all together. Each is worked out in some milliseconds. Apps share none, because the duration
  /// of a call would reveal another app's.
  private var cleaned: [Cleaned: [UInt8]] = [:]
  private static let cleanedLimit = 100_000

  /// The bytes of files as an app gets them.
  struct Cleaning: Hashable {
    let app: AppIdentifier
    let withheld: WithheldFacts
  }

  private struct Cleaned: Hashable {
    let asset: AssetNumber
    let contentVersion: String
    let cleaning: Cleaning
  }

  init(_ context: LibraryContext, bytes: ByteService, opened: OpenedStorage) {
    self.context = context
    self.bytes = bytes
    self.opened = opened
  }

  /// Reads the originals of assets, one after the other, until the timeout; at least one.
  ///
  /// - Parameters:
  /// - cleaning: Facts that are overwritten first, for one app; nil: none.
  /// - isWanted: Checked regularly; false cancels.
  /// - completion: Gets the digests so far; an empty one for a file that cannot be cleaned.
  func workOutDigests(
    of assets: [AssetNumber], _ cleaning: Cleaning? = nil, until end: MonotonicTime,
    isWanted: @escaping () -> Bool, _ completion: @escaping ([AssetNumber: [UInt8]]) -> Void
  ) {
    guard opened.files != nil, !assets.isEmpty else { return completion([:]) }
    let completion = workers.answered { (result: Result<[AssetNumber: [UInt8]], BrokerError>) in
      completion((try? result.get()) ?? [:])
    }
    let turn = DigestTurn(rest: assets[...], cleaning: cleaning, end: end, isWanted: isWanted)
    workOutDigests(turn) { completion(.success($0)) }
  }

  private struct DigestTurn {
    var rest: ArraySlice<AssetNumber>
    let cleaning: Cleaning?
    var end: MonotonicTime
    var isWanted: () -> Bool
    var found: [AssetNumber: [UInt8]] = [:]
    var hasRead = false
  }

  private func workOutDigests(_ turn: DigestTurn, _ completion: @escaping ([AssetNumber: [UInt8]]) -> Void) {
    guard let asset = turn.rest.first, !workers.isStopped, turn.isWanted(), !turn.hasRead || !turn.end.hasPassed else {
      return completion(turn.found)
    }
    func next(_ digest: [UInt8]?, hasRead: Bool) {
      var turn = turn
      turn.rest = turn.rest.dropFirst()
      turn.found[asset] = digest
      turn.hasRead = turn.hasRead || hasRead
      workers.later { [self] in workOutDigests(turn, completion) }
    }
    store.asset(asset, of: library.record.name) { [self] result in
      guard let original = (try? result.get())??.resources.first else { return next(nil, hasRead: false) }
      if let cleaning = turn.cleaning {
        return readCleaned(original, asset, cleaning, turn.isWanted) { next($0, hasRead: $1) }
      }
      // Another call may have stored it first.
      if let known = original.digest { return next(known, hasRead: false) }
      readDigest(of: original, asset, turn.isWanted) { next($0, hasRead: true) }
    }
  }

  private func readCleaned(
    _ original: ResourceRecord, _ asset: AssetNumber, _ cleaning: Cleaning, _ isWanted: @escaping () -> Bool,
    _ completion: @escaping (_ digest: [UInt8]?, _ hasRead: Bool) -> Void
  ) {
    let key = Cleaned(asset: asset, contentVersion: original.contentVersion, cleaning: cleaning)
    if let known = cleaned[key] { return completion(known, false) }
    // A file that is delivered in pieces has no name.
    guard let files = opened.files, !files.isReadInParts(original.size) else { return completion([], false) }
    let job = bytes.begin(original, asset, for: ByteRecipient(user: library.record.owner, isWanted: isWanted))
    let transfer = job.transfer
    workers.run(.digest) { () -> [UInt8]? in
      do throws(DeliveryError) {
        return try files.digest(
          original.locator, contentVersion: original.contentVersion, size: original.size,
          without: cleaning.withheld, transfer)
      } catch { return error.code == .notCleaned ? [] : nil }
    } then: { [self] digest in
      job.end()
      // The cleaner may succeed another time.
      if let digest, !digest.isEmpty {
        if cleaned.count >= Self.cleanedLimit { cleaned = [:] }
        cleaned[key] = digest
      }
      completion(digest, true)
    }
  }

  private func readDigest(
    of original: ResourceRecord, _ asset: AssetNumber, _ isWanted: @escaping () -> Bool,
    _ completion: @escaping ([UInt8]?) -> Void
  ) {
    guard let files = opened.files, files.source.readsRanges || files.isReadInParts(original.size) else {
      return completion(nil)
    }
    let job = bytes.begin(original, asset, for: ByteRecipient(user: library.record.owner, isWanted: isWanted))
    let transfer = job.transfer
    workers.run(.digest) { () -> [UInt8]? in
      try? files.digest(original.locator, contentVersion: original.contentVersion, size: original.size, transfer)
    } then: { [self] digest in
      job.end()
      if let digest, digest.count == 32, !workers.isStopped {
        store.commit([
          .noteDigest(library.record.name, asset, contentVersion: original.contentVersion, digest: digest)
        ]) { _ in }
      }
      completion(digest)
    }
  }
}
