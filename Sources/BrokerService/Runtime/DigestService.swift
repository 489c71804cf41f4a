import Broker
import Catalogue
import Delivery
import EventLoop
import Monitor
import PhotoModel

/// Digests of one library's remote and large files, computed when first needed, then stored.
final class DigestService {
  /// Timeout of one call; the next call continues from there.
  static let patience = Duration.seconds(20)

  private let library: LibraryState
  private let store: any Store
  private let bytes: ByteService
  private let opened: OpenedStorage
  private let workers: LibraryWorkers

  init(
    of library: LibraryState, store: any Store, bytes: ByteService, opened: OpenedStorage, workers: LibraryWorkers
  ) {
    self.library = library
    self.store = store
    self.bytes = bytes
    self.opened = opened
    self.workers = workers
  }

  /// Reads the originals of assets, one after the other, until the timeout; at least one.
  ///
  /// - Parameters:
  /// - isWanted: Checked regularly; false cancels.
  /// - completion: Gets the digests so far.
  func workOutDigests(
    of assets: [AssetNumber], until end: MonotonicTime, isWanted: @escaping () -> Bool,
    _ completion: @escaping ([AssetNumber: [UInt8]]) -> Void
  ) {
    guard opened.files != nil, !assets.isEmpty else { return completion([:]) }
    let completion = workers.answered { (result: Result<[AssetNumber: [UInt8]], BrokerError>) in
      completion((try? result.get()) ?? [:])
    }
    workOutDigests(DigestTurn(rest: assets[...], end: end, isWanted: isWanted)) { completion(.success($0)) }
  }

  private struct DigestTurn {
    var rest: ArraySlice<AssetNumber>
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
    let carried = LoopConfined<(Result<AssetRecord?, StoreFailure>) -> Void> { [self] result in
      guard let original = (try? result.get())??.resources.first else { return next(nil, hasRead: false) }
      // Another call may have stored it first.
      if let known = original.digest { return next(known, hasRead: false) }
      readDigest(of: original, asset, turn.isWanted) { next($0, hasRead: true) }
    }
    store.asset(asset, of: library.record.name) { carried.value($0) }
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
