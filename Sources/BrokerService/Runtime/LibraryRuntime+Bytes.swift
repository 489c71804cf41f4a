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
  /// The files of an asset, from memory if its row has not changed.
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

  /// A sealed copy of a resource of at most ``ServiceLimits/openedBytes``, cached for the app.
  ///
  /// - Parameter progress: Gets the number of bytes that arrived from a remote source.
  func copy(
    of resource: ResourceRecord, asset: AssetNumber, for reader: ByteReader, progress: ((Int) -> Void)? = nil,
    _ completion: @escaping (Result<SealedCopy, BrokerError>) -> Void
  ) {
    guard let files = opened.files else { return completion(.failure(.offline)) }
    if let damage = damage(of: resource) { return completion(.failure(damage)) }
    guard resource.size <= ServiceLimits.openedBytes else { return completion(.failure(.tooLargeToOpen)) }
    let key = LibraryFiles.key(reader.app, asset, resource)
    if let kept = files.cache.kept(key) {
      completion(.success(kept))
      return prepareForMore(kept)
    }
    let job = begin(resource, asset, for: reader, progress: progress)
    let (transfer, completion) = (job.transfer, workers.answered(completion))
    work(on: resource, for: reader, job) { () -> Result<SealedCopy, DeliveryError> in
      Result { () throws(DeliveryError) in try files.copy(key, size: resource.size, digest: resource.digest, transfer) }
    } then: { [self] result in
      job.end()
      lookIfChanged(resource, result)
      completion(result.mapError { told($0, of: resource) })
    }
  }

  /// A copy requested twice may be requested often. Large pages cost more than one read, and most
  /// photos are read once.
  private func prepareForMore(_ copy: SealedCopy) {
    guard copy.byteCount >= Self.largeCopyBytes, copy.isFirstReuse() else { return }
    workers.run(.read) {
      copy.useLargePages()
    } then: { _ in
    }
  }

  /// A piece of a resource. A file that is too large to be copied is read in place.
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
    guard let files = opened.files else { return completion(.failure(.offline)) }
    if let damage = damage(of: resource) { return completion(.failure(damage)) }
    let key = LibraryFiles.key(reader.app, asset, resource)
    let job = begin(resource, asset, for: reader)
    let (transfer, completion) = (job.transfer, workers.answered(completion))
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
    // A local piece costs as little as a small photo.
    if files.source.isFar {
      workInTurn(of: reader.user, reader.app, job, body, then: then)
    } else {
      workers.run(.read, body, then: then)
    }
  }

  func isReadInParts(_ resource: ResourceRecord) -> Bool { opened.files?.isReadInParts(resource.size) ?? false }

  private func told(_ error: DeliveryError, of resource: ResourceRecord) -> BrokerError {
    isOffline(resource) ? .offline : BrokerError(delivery: error)
  }

  /// The error for a file that was damaged in its place. Its asset stays, because a program may be
  /// saving it.
  func damage(of resource: ResourceRecord) -> BrokerError? {
    scanner.leftOut.unusable[ExactText(resource.locator)].map {
      .photos(
        .invalidResource,
        "The photo's file cannot be read as it is now (\($0.reason.text)); ask again when it has been made whole.")
    }
  }

  /// Scans a changed file's folder soon, because an unwatched folder reports no change. An added
  /// hard link is not reported.
  func lookIfChanged<T>(_ resource: ResourceRecord, _ result: Result<T, DeliveryError>) {
    guard case .failure(let error) = result, !scanner.isScanning else { return }
    let isUnreadable = [.permissionDenied, .foreignOwner, .hardLinked].contains(error.code)
    guard
      error.code == .changedWhileReading
        || (isUnreadable && !isOffline(resource) && !scanner.leftOut.names(resource.locator))
    else { return }
    scanner.look(.folders([StorageFolder(of: resource.locator)]))
  }

  private func isOffline(_ resource: ResourceRecord) -> Bool { scanner.leftOut.isOffline(resource.locator) }
}
