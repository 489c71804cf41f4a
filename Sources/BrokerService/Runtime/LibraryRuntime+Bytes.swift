import Broker
import Catalogue
import Delivery
import EventLoop
import Indexer
import PhotoModel
import UnixSocket

/// Bytes for apps: opened, copied and decoded on the library's readers.
extension LibraryRuntime {
  /// The files of an asset; from memory where its row has not changed since they were read.
  func resources(of row: AssetRow, _ completion: @escaping (Result<[ResourceRecord], BrokerError>) -> Void) {
    if let known = resourceCache[row.number], known.version == row.version { return completion(.success(known.resources)) }
    let carried = Box<(Result<AssetRecord?, StoreFailure>) -> Void> { [self] result in
      switch result {
      case .failure(let failure): completion(.failure(BrokerError(.failed, failure.message)))
      case .success(nil): completion(.failure(.identifierNotFound()))
      case .success(let record?):
        if resourceCache.count >= Self.resourceCacheLimit { resourceCache.removeAll(keepingCapacity: true) }
        resourceCache[row.number] = (row.version, record.resources)
        completion(.success(record.resources))
      }
    }
    core.store.asset(row.number, of: library.record.name) { carried.value($0) }
  }

  /// A sealed copy of a resource, kept for the app that asked.
  func copy(
    of resource: ResourceRecord, asset: AssetNumber, for app: AppIdentifier,
    _ completion: @escaping (Result<SealedCopy, BrokerError>) -> Void
  ) {
    guard let files else { return completion(.failure(.offline)) }
    if let damage = damage(of: resource) { return completion(.failure(damage)) }
    let key = LibraryFiles.key(app, asset, resource)
    if let kept = files.cache.kept(key) { return completion(.success(kept)) }
    work(readers) { () -> Result<SealedCopy, DeliveryError> in
      Result { () throws(DeliveryError) in try files.copy(key, digest: resource.digest) }
    } then: { [self] result in
      lookIfChanged(resource, result)
      completion(result.mapError { isOffline(resource) ? .offline : BrokerError(delivery: $0) })
      guard case .success(let copy) = result, copy.byteCount >= Self.largeCopyBytes else { return }
      work(readers) {
        copy.useLargePages()
      } then: { _ in
      }
    }
  }

  /// A piece of a resource. Of one that is too large to be kept as a copy a piece is read where it lies, so that who takes it in
  /// pieces does not have all of it copied for each.
  func piece(
    of resource: ResourceRecord, asset: AssetNumber, for app: AppIdentifier, offset: Int64, length: Int64,
    _ completion: @escaping (Result<InlinePiece, BrokerError>) -> Void
  ) {
    func pieceOfCopy() {
      copy(of: resource, asset: asset, for: app) { result in
        completion(
          result.flatMap { copy in
            Result { () throws(DeliveryError) in
              InlinePiece(bytes: try InlineReader.read(copy, offset: offset, length: length), wholeByteCount: Int64(copy.byteCount))
            }.mapError { BrokerError(delivery: $0) }
          })
      }
    }
    guard let files, resource.size > LibraryFiles.cacheBytes, damage(of: resource) == nil else { return pieceOfCopy() }
    work(readers) { () -> InlinePiece? in
      try? files.source.piece(of: resource.locator, contentVersion: resource.contentVersion, offset: offset, length: length)
    } then: { piece in
      if let piece { completion(.success(piece)) } else { pieceOfCopy() }
    }
  }

  /// The same, telling now and then how many bytes have come, as long as somebody wants them.
  func copy(
    of resource: ResourceRecord, asset: AssetNumber, for app: AppIdentifier, isWanted: @escaping () -> Bool,
    progress: @escaping (Int) -> Void, _ completion: @escaping (Result<SealedCopy, BrokerError>) -> Void
  ) {
    guard let files else { return completion(.failure(.offline)) }
    if let damage = damage(of: resource) { return completion(.failure(damage)) }
    let key = LibraryFiles.key(app, asset, resource)
    if let kept = files.cache.kept(key) { return completion(.success(kept)) }
    let transfer = Transfer()
    var isOver = false
    func look() {
      core.loop.schedule(after: .milliseconds(100)) {
        if isOver { return }
        if isWanted() { progress(transfer.count) } else { transfer.cancel() }
        look()
      }
    }
    look()
    work(readers) { () -> Result<SealedCopy, DeliveryError> in
      Result { () throws(DeliveryError) in try files.copy(key, digest: resource.digest) { transfer.note($0) } }
    } then: { [self] result in
      isOver = true
      lookIfChanged(resource, result)
      completion(result.mapError { BrokerError(delivery: $0) })
    }
  }

  /// Why nothing of a file is handed out: it was damaged in its place after it was taken up. Its asset stays meanwhile, as it may
  /// be in the middle of being saved.
  func damage(of resource: ResourceRecord) -> BrokerError? {
    leftOut.unusable[ExactText(resource.locator)].map {
      .photos(.invalidResource, "The photo's file cannot be read as it is now (\($0.reason)); ask again when it has been made whole.")
    }
  }

  /// A file that is not what was listed is looked at soon; nobody may have noticed it where folders cannot be watched.
  private func lookIfChanged(_ resource: ResourceRecord, _ result: Result<SealedCopy, DeliveryError>) {
    guard case .failure(let error) = result, error.code == .changedWhileReading, !looks.isIndexing else { return }
    look([StorageFolder(of: resource.locator)])
  }

  private func isOffline(_ resource: ResourceRecord) -> Bool { leftOut.offline.contains { $0.contains(resource.locator) } }

  /// Drops what is kept for an app of assets that it may be handed no longer, so that no copy outlives the right to it. The others
  /// stay: who holds a token that was narrowed to these must not notice, by a slower reading, that the app lost something else.
  ///
  /// Call in a turn after that of the narrowing.
  func forgetUnseenCopies(of app: AppIdentifier) {
    let (files, copies) = (files, copies)
    work(readers) {
      let kept = files?.cache.keys { $0.app == app }.map(\.asset.rawValue) ?? []
      return copies.items(of: app.description).union(kept)
    } then: { [self] items in
      let seen = core.broker.handed(items.map { AssetNumber($0) }, to: app, in: library)
      let unseen = items.subtracting(seen.map(\.rawValue))
      guard !unseen.isEmpty else { return }
      work(readers) {
        files?.cache.remove { $0.app == app && unseen.contains($0.asset.rawValue) }
        copies.forget(group: app.description, items: unseen)
      } then: { _ in
      }
    }
  }

  /// Drops all that is kept for an app. On a worker: giving back a full cache takes longer than a revocation may.
  func forgetCopies(of app: AppIdentifier) {
    let (files, copies) = (files, copies)
    work(readers) {
      files?.cache.remove { $0.app == app }
      copies.forget(group: app.description)
    } then: { _ in
    }
  }

  /// Drops what is kept for any app.
  func forgetAppCopies() {
    for app in Set(core.broker.grants(in: library.record.name).map(\.record.key.app)) { forgetCopies(of: app) }
  }

  /// A picture of a resource. Made once for an app, and kept beside its copies.
  ///
  /// - Parameter isWanted: Asked now and then until it is there. What nobody waits for any more is not begun, and not fetched
  ///   from afar: whoever scrolls through a library leaves many pictures behind.
  func thumbnail(
    of resource: ResourceRecord, asset: AssetNumber, pixels: Int, for app: AppIdentifier?, isWanted: @escaping () -> Bool,
    _ completion: @escaping (Result<SealedCopy, BrokerError>) -> Void
  ) {
    guard let files else { return completion(.failure(.offline)) }
    if let missing = media.unavailable {
      return completion(.failure(.photos(.requestNotSupportedForAsset, "No thumbnails can be made: \(missing)")))
    }
    if let damage = damage(of: resource) { return completion(.failure(damage)) }
    // The owner's pictures are kept apart from every app's.
    let owner = app ?? AppIdentifier(high: 0, low: 0)
    let source = LibraryFiles.key(owner, asset, resource)
    let key = LibraryFiles.Key(
      app: owner, asset: asset, locator: source.locator, contentVersion: "\(source.contentVersion) thumbnail \(pixels)")
    if let kept = files.cache.kept(key) { return completion(.success(kept)) }
    let media = media
    let transfer = Transfer()
    let end = app == nil ? show(transfer, of: asset, resource, unless: isWanted) : cancel(transfer, unless: isWanted)
    work(readers) { () -> Result<SealedCopy, PictureFailure> in
      Result { () throws(PictureFailure) in
        guard transfer.isWanted else { throw .delivery(.timedOut) }
        var failure: MediaFailure?
        do throws(DeliveryError) {
          let original = try files.copy(source, digest: resource.digest) { transfer.note($0) }
          return try files.cache.copy(for: key) { () throws(DeliveryError) in
            do throws(MediaFailure) { return try media.thumbnail(original, name: resource.filename, pixels: pixels) } catch {
              failure = error
              throw .timedOut
            }
          }
        } catch { throw failure.map { .media($0) } ?? .delivery(error) }
      }
    } then: { result in
      end()
      completion(result.mapError { $0.told("picture") })
    }
  }

  /// Looks now and then whether somebody wants what is transferred, until what this returns is called.
  func cancel(_ transfer: Transfer, unless isWanted: @escaping () -> Bool) -> () -> Void {
    var isOver = false
    func look() {
      core.loop.schedule(after: .milliseconds(100)) {
        if isOver { return }
        if isWanted() { look() } else { transfer.cancel() }
      }
    }
    look()
    return { isOver = true }
  }

  /// Why there is no picture: its bytes did not come, or nothing could be made of them.
  enum PictureFailure: Error {
    case delivery(DeliveryError)
    case media(MediaFailure)

    func told(_ what: String) -> BrokerError {
      switch self {
      case .delivery(let error): BrokerError(delivery: error)
      case .media(let error) where error.code == .unavailable:
        .photos(.internalError, "No \(what) can be made right now: \(error.message); ask again in a moment.")
      case .media(let error): .photos(.requestNotSupportedForAsset, "No \(what) can be made of this asset: \(error.message)")
      }
    }
  }

  /// Writes an added photo into the library's folder and takes it up.
  /// - Parameter proceed: asked at the last moment before the storage is: whether it may still be added, and whose selection it joins.
  func add(
    _ copy: SealedCopy, name: String, by app: AppIdentifier, proceed: @escaping () throws(BrokerError) -> GrantState?,
    _ completion: @escaping (Result<AssetIdentifier, BrokerError>) -> Void
  ) {
    let media = media
    work(readers) { () -> Result<ItemFacts, BrokerError> in
      Result { () throws(BrokerError) in
        let facts: ItemFacts
        do throws(MediaFailure) { facts = try media.facts(copy, sidecar: nil, name: name) } catch {
          throw .photos(
            .invalidResource, "The bytes are no photo or video that can be read (\(error.message)); add a file of a supported type.")
        }
        guard facts.mediaType == .image || facts.mediaType == .video else {
          throw .photos(.invalidResource, "The bytes are neither a photo nor a video; add a file of a supported type.")
        }
        return facts
      }
    } then: { [self] result in
      do throws(BrokerError) {
        store(copy, name: name, facts: try result.get(), by: app, joining: try proceed(), completion)
      } catch {
        completion(.failure(error))
      }
    }
  }

  private func store(
    _ copy: SealedCopy, name: String, facts: ItemFacts, by app: AppIdentifier, joining grant: GrantState?,
    _ completion: @escaping (Result<AssetIdentifier, BrokerError>) -> Void
  ) {
    guard let storage else { return completion(.failure(.offline)) }
    let builder = AssetBuilder(zoneOffsetMinutes: library.record.zoneOffsetMinutes, now: core.environment.now)
    work(readers) { () -> Result<AssetRecord, BrokerError> in
      Result { () throws(BrokerError) in
        let item: ScannedItem
        do throws(StorageFailure) { item = try storage.add(copy, name: name) } catch { throw BrokerError(storage: error) }
        return builder.record(item, facts: facts, proof: ContentProof(digest: copy.digest))
      }
    } then: { [self] result in
      switch result {
      case .failure(let error): completion(.failure(error))
      case .success(let record):
        library.apply([.insert(record)], creator: app, joining: grant) { [self] result in
          completion(
            result.flatMap { numbers in
              guard let number = numbers.first, let row = library.catalogue.row(of: number) else {
                return .failure(BrokerError(.failed, "The added asset was removed again before it was taken up."))
              }
              return .success(row.identifier)
            })
        }
      }
    }
  }

  /// Takes a copy of what an app hands over; the original is not trusted afterwards. Read by threads of their own: how fast it
  /// comes is the app's to choose, and nobody else's photos wait for it.
  func receive(
    _ descriptor: consuming FileDescriptor, of app: AppIdentifier, on connection: Connection,
    _ completion: @escaping (Result<SealedCopy, BrokerError>) -> Void
  ) {
    let handed = HandedDescriptor(descriptor)
    inTurn(app, connection) { [self] files, done in
      if receiving == nil { receiving = try? Worker(name: "receive", threads: Self.receiverThreads) }
      work(receiving) { () -> Result<SealedCopy, DeliveryError> in
        Result { () throws(DeliveryError) in
          guard let descriptor = handed.take() else { throw .timedOut }
          return try files.receive(descriptor, hasher: LibraryFiles.digest)
        }
      } then: { result in
        done()
        completion(result.mapError { BrokerError(incoming: $0) })
      }
    }
  }

  /// Seals what an app sent in messages: up to 64 MiB are copied and gone through.
  func seal(
    _ bytes: SentBytes, of app: AppIdentifier, on connection: Connection,
    _ completion: @escaping (Result<SealedCopy, BrokerError>) -> Void
  ) {
    inTurn(app, connection) { [self] _, done in
      work(readers) { () -> Result<SealedCopy, DeliveryError> in
        Result { () throws(DeliveryError) in try SealedCopy.of(bytes.pieces, hasher: LibraryFiles.digest) }
      } then: { result in
        done()
        completion(result.mapError { BrokerError(incoming: $0) })
      }
    }
  }

  /// Begins when what the app handed over before is taken; never, where its connection ends until then.
  private func inTurn(
    _ app: AppIdentifier, _ connection: Connection, _ begin: @escaping (IncomingFiles, _ done: @escaping () -> Void) -> Void
  ) {
    let turns = incoming[app] ?? IncomingTurns()
    incoming[app] = turns
    var closing: UInt64?
    let turn = IncomingTurns.Turn { [self, weak connection] turns, done in
      connection?.forgetClose(closing)
      begin(turns.files) { [self] in
        done()
        if turns.isIdle { incoming[app] = nil }
      }
    }
    if !turns.take(turn) { closing = connection.onClose { [weak turns, weak turn] in if let turn { turns?.drop(turn) } } }
  }
}
