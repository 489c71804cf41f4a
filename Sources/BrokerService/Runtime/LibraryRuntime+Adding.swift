import Broker
import Catalogue
import Delivery
import EventLoop
import Indexer
import PhotoModel
import UnixSocket

/// What apps add: taken over, looked into and written into the storage.
extension LibraryRuntime {
  /// Writes an added photo into the library's folder and takes it up.
  /// - Parameters:
  ///   - dryRun: true: the storage is asked for nothing but whether it takes files, and the answer is nil.
  ///   - proceed: asked at the last moment before the storage is: whether it may still be added, and whose selection it joins.
  func add(
    _ copy: SealedCopy, name: String, by app: AppIdentifier, dryRun: Bool, proceed: @escaping () throws(BrokerError) -> GrantState?,
    _ completion: @escaping (Result<AssetIdentifier?, BrokerError>) -> Void
  ) {
    let completion = answered(completion)
    look(into: copy, name: name) { [self] result in
      do throws(BrokerError) {
        let (facts, grant) = (try result.get(), try proceed())
        if dryRun { return checkThatStorageChanges { completion($0.map { nil }) } }
        guard let storage else { throw .offline }
        store(copy, in: storage, name: name, facts: facts, by: app, joining: grant, completion)
      } catch {
        completion(.failure(error))
      }
    }
  }

  /// What a dry run can know of the storage beforehand: that it is there, and takes files and changes at all at this moment.
  /// - Parameter error: What a refusal of the storage's is called.
  func checkThatStorageChanges(
    error: @escaping (StorageFailure) -> BrokerError = BrokerError.init(storage:),
    _ completion: @escaping (Result<Void, BrokerError>) -> Void
  ) {
    let completion = answered(completion)
    guard let storage else { return completion(.failure(.offline)) }
    work(readers) { () -> StorageFailure? in
      do throws(StorageFailure) {
        guard try storage.facts().isReadOnly else { return nil }
        return StorageFailure(code: .readOnly, message: "The library's storage can only be read.")
      } catch { return error }
    } then: { failure in
      completion(failure.map { .failure(error($0)) } ?? .success(()))
    }
  }

  /// What the bytes of a new asset say, which must be a photo's or a video's.
  func look(into copy: SealedCopy, name: String, _ completion: @escaping (Result<ItemFacts, BrokerError>) -> Void) {
    let media = media
    work(readers) {
      Result { () throws(BrokerError) in
        let facts: ItemFacts
        do throws(MediaFailure) { facts = try media.facts(copy.descriptor, sidecar: nil, name: name) } catch {
          throw .photos(
            .invalidResource, "The bytes are no photo or video that can be read (\(error.message)); add a file of a supported type.")
        }
        guard facts.mediaType == .image || facts.mediaType == .video else {
          throw .photos(.invalidResource, "The bytes are neither a photo nor a video; add a file of a supported type.")
        }
        return facts
      }
    } then: {
      completion($0)
    }
  }

  private func store(
    _ copy: SealedCopy, in storage: any LibraryStorage, name: String, facts: ItemFacts, by app: AppIdentifier, joining grant: GrantState?,
    _ completion: @escaping (Result<AssetIdentifier?, BrokerError>) -> Void
  ) {
    newcomers.begin()
    let completion = { [self] (result: Result<AssetIdentifier?, BrokerError>) in
      newcomers.didWrite()
      // A look that is under way may have asked what is known before this was.
      if looks.isIndexing { looks.additions += 1 } else { newcomers.end() }
      completion(result)
    }
    let builder = AssetBuilder(zoneOffsetMinutes: library.record.zoneOffsetMinutes, now: core.environment.now)
    work(readers) { () -> Result<AssetRecord, BrokerError> in
      Result { () throws(BrokerError) in
        let item: ScannedItem
        do throws(StorageFailure) { item = try storage.add(copy, name: name, folder: nil) } catch { throw BrokerError(storage: error) }
        return builder.record(item, facts: facts, proof: ContentProof(digest: copy.digest))
      }
    } then: { [self] result in
      switch result {
      case .failure(let error): completion(.failure(error))
      case .success(let record):
        library.apply([.insert(record)], creator: app, joining: grant, newcomers: newcomers) { [self] result in
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
    _ handed: HandedDescriptor, upTo limitBytes: Int = .max, of app: AppIdentifier, on connection: Connection,
    _ completion: @escaping (Result<SealedCopy, BrokerError>) -> Void
  ) {
    let user = connection.socket.peer.uid
    let completion = answered(completion)
    inTurn(app, connection) { [self] files, done in
      if receiving == nil { receiving = try? Worker(name: "receive", threads: Self.receiverThreads) }
      takingOver.take(
        FairTurns.Turn(user: user, app: app) { [self] over in
          work(receiving ?? readers) { () -> Result<SealedCopy, DeliveryError> in
            Result { () throws(DeliveryError) in
              guard let descriptor = handed.take() else { throw .timedOut }
              return try files.receive(descriptor, lowerLimitBytes: limitBytes, hasher: LibraryFiles.digest)
            }
          } then: { result in
            over()
            done()
            completion(result.mapError { BrokerError(incoming: $0) })
          }
        })
    }
  }

  /// Seals what an app sent in messages: up to 64 MiB are copied and gone through.
  func seal(
    _ bytes: SentBytes, of app: AppIdentifier, on connection: Connection,
    _ completion: @escaping (Result<SealedCopy, BrokerError>) -> Void
  ) {
    let (user, completion) = (connection.socket.peer.uid, answered(completion))
    inTurn(app, connection) { [self] _, done in
      workInTurn(of: user, app) { () -> Result<SealedCopy, DeliveryError> in
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
