import Broker
import Catalogue
import Delivery
import EventLoop
import Limits
import Indexer
import PhotoModel
import PluginHost
import UnixSocket

/// Bytes for apps: opened, copied and decoded on the library's readers.
extension LibraryRuntime {
  /// The files of an asset; from memory where its row has not changed since they were read.
  func resources(of row: AssetRow, _ completion: @escaping (Result<[ResourceRecord], BrokerError>) -> Void) {
    if let known = resourceCache[row.number], known.version == row.version {
      return completion(.success(known.resources))
    }
    record(of: row) { [self] result in
      if case .success(let record) = result {
        if resourceCache.count >= Self.resourceCacheLimit { resourceCache.removeAll(keepingCapacity: true) }
        resourceCache[row.number] = (row.version, record.resources)
      }
      completion(result.map(\.resources))
    }
  }

  /// All that is kept of an asset.
  func record(of row: AssetRow, _ completion: @escaping (Result<AssetRecord, BrokerError>) -> Void) {
    let carried = Box<(Result<AssetRecord?, StoreFailure>) -> Void> { result in
      switch result {
      case .failure(let failure): completion(.failure(BrokerError(.failed, .notRead, failure.message)))
      case .success(nil): completion(.failure(.identifierNotFound()))
      case .success(let record?): completion(.success(record))
      }
    }
    core.store.asset(row.number, of: library.record.name) { carried.value($0) }
  }

  /// A sealed copy of a resource, kept for the app that asked, of at most ``ServiceLimits/openedBytes``.
  ///
  /// - Parameter progress: Told now and then how many bytes have come from afar.
  func copy(
    of resource: ResourceRecord, asset: AssetNumber, for reader: ByteReader, progress: ((Int) -> Void)? = nil,
    _ completion: @escaping (Result<SealedCopy, BrokerError>) -> Void
  ) {
    guard let files else { return completion(.failure(.offline)) }
    if let damage = damage(of: resource) { return completion(.failure(damage)) }
    guard resource.size <= ServiceLimits.openedBytes else { return completion(.failure(.tooLargeToOpen)) }
    let key = LibraryFiles.key(reader.app, asset, resource)
    if let kept = files.cache.kept(key) {
      completion(.success(kept))
      return prepareForMore(kept)
    }
    let job = begin(resource, asset, for: reader, progress: progress)
    let (transfer, completion) = (job.transfer, answered(completion))
    work(on: resource, for: reader, job) { () -> Result<SealedCopy, DeliveryError> in
      Result { () throws(DeliveryError) in try files.copy(key, size: resource.size, digest: resource.digest, transfer) }
    } then: { [self] result in
      job.end()
      lookIfChanged(resource, result)
      completion(result.mapError { told($0, of: resource) })
    }
  }

  /// What was asked for twice may be asked for often. Most photos are read once, and large pages
  /// cost more than one reading.
  private func prepareForMore(_ copy: SealedCopy) {
    guard copy.byteCount >= Self.largeCopyBytes, copy.isFirstReuse() else { return }
    work(readers) {
      copy.useLargePages()
    } then: { _ in
    }
  }

  /// A piece of a resource. Of one that is too large to be copied a piece is read where it lies.
  func piece(
    of resource: ResourceRecord, asset: AssetNumber, for reader: ByteReader, offset: Int64, length: Int64,
    _ completion: @escaping (Result<InlinePiece, BrokerError>) -> Void
  ) {
    guard isReadInParts(resource) else {
      return copy(of: resource, asset: asset, for: reader) { result in
        completion(
          result.flatMap { copy in
            Result { () throws(DeliveryError) in
              InlinePiece(
                bytes: try InlineReader.read(copy, offset: offset, length: length),
                wholeByteCount: Int64(copy.byteCount))
            }.mapError { BrokerError(delivery: $0) }
          })
      }
    }
    guard let files else { return completion(.failure(.offline)) }
    if let damage = damage(of: resource) { return completion(.failure(damage)) }
    let key = LibraryFiles.key(reader.app, asset, resource)
    let job = begin(resource, asset, for: reader)
    let (transfer, completion) = (job.transfer, answered(completion))
    let body = { @Sendable () -> Result<InlinePiece, DeliveryError> in
      Result { () throws(DeliveryError) in
        try files.piece(key, size: resource.size, offset: offset, length: length, transfer)
      }
    }
    let then = { [self] (result: Result<InlinePiece, DeliveryError>) in
      job.end()
      lookIfChanged(resource, result)
      completion(result.mapError { told($0, of: resource) })
    }
    // Near, a piece is as little as any small photo.
    if files.source.isFar {
      workInTurn(of: reader.user, reader.app, job, body, then: then)
    } else {
      work(readers, body, then: then)
    }
  }

  /// Whether a resource is read in pieces without a copy of the whole.
  func isReadInParts(_ resource: ResourceRecord) -> Bool { files?.isReadInParts(resource.size) ?? false }

  private func told(_ error: DeliveryError, of resource: ResourceRecord) -> BrokerError {
    isOffline(resource) ? .offline : BrokerError(delivery: error)
  }

  /// Why nothing of a file is handed out: it was damaged in its place after it was taken up. Its
  /// asset stays meanwhile, as it may be in the middle of being saved.
  func damage(of resource: ResourceRecord) -> BrokerError? {
    leftOut.unusable[ExactText(resource.locator)].map {
      .photos(
        .invalidResource,
        "The photo's file cannot be read as it is now (\($0.reason.text)); ask again when it has been made whole.")
    }
  }

  /// A file that is not what was listed is looked at soon; nobody may have noticed it where folders
  /// cannot be watched. Of a second name that it got elsewhere nobody is told.
  func lookIfChanged<T>(_ resource: ResourceRecord, _ result: Result<T, DeliveryError>) {
    guard case .failure(let error) = result, !looks.isIndexing else { return }
    let isUnreadable = [.permissionDenied, .foreignOwner, .hardLinked].contains(error.code)
    guard
      error.code == .changedWhileReading || (isUnreadable && !isOffline(resource) && !leftOut.names(resource.locator))
    else { return }
    look(.folders([StorageFolder(of: resource.locator)]))
  }

  private func isOffline(_ resource: ResourceRecord) -> Bool { leftOut.isOffline(resource.locator) }
}
