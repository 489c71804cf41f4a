import Broker
import Delivery
import EventLoop
import Indexer
import Limits
import PhotoModel
import UnixSocket

/// Bytes that apps send for one library's new assets: copied, and read for their facts.
final class UploadReceiver: LibraryService {
  let context: LibraryContext
  private let bytes: ByteService
  private let opened: OpenedStorage
  /// Queue for reads of descriptors.
  private var takingOver = FairQueue(places: LibraryWorkers.Kind.receive.threads)
  private var incoming: [AppIdentifier: (queue: FairQueue, files: IncomingFiles)] = [:]

  init(_ context: LibraryContext, bytes: ByteService, opened: OpenedStorage) {
    self.context = context
    self.bytes = bytes
    self.opened = opened
  }

  func stop() {
    takingOver = FairQueue(places: LibraryWorkers.Kind.receive.threads)
    incoming = [:]
  }

  /// Copies the bytes for one request, one after the other, and reads their facts.
  func takeOver(
    _ handed: [(name: String, bytes: HandedBytes)], of app: AppIdentifier, on connection: Connection,
    _ completion: @escaping Completion<[ComingAsset]>
  ) {
    takeOver(handed[...], [], of: app, on: connection, workers.answered(completion))
  }

  private func takeOver(
    _ rest: ArraySlice<(name: String, bytes: HandedBytes)>, _ coming: [ComingAsset], of app: AppIdentifier,
    on connection: Connection,
    _ completion: @escaping Completion<[ComingAsset]>
  ) {
    guard let next = rest.first else { return completion(.success(coming)) }
    // The sender has disconnected, so nobody waits for the result.
    guard !connection.isClosed else { return }
    let left = coming.reduce(ServiceLimits.createdBytes) { $0 - $1.copy.byteCount }
    let taken = { [self] (result: Result<SealedCopy, BrokerError>) in
      switch result {
      case .failure(let error) where error.code == .photos(.limitExceeded) && !coming.isEmpty:
        completion(.failure(.createdTooMuch))
      case .failure(let error): completion(.failure(error))
      case .success(let copy):
        guard copy.byteCount <= left else { return completion(.failure(.createdTooMuch)) }
        // Counted now, because the rest may arrive slowly.
        let share: UploadQuota.Share
        let owner = UploadQuota.Owner(app: app, user: connection.socket.peer.uid, library: library.record.name)
        do throws(BrokerError) { share = try shares.uploading.take(copy.byteCount, of: owner) } catch {
          return completion(.failure(error))
        }
        look(into: copy, name: next.name) { [self] result in
          result.orFail(completion) { facts in
            let coming = coming + [ComingAsset(name: next.name, copy: copy, facts: facts, share: share)]
            takeOver(rest.dropFirst(), coming, of: app, on: connection, completion)
          }
        }
      }
    }
    switch next.bytes {
    case .descriptor(let descriptor): receive(descriptor, upTo: left, of: app, on: connection, taken)
    case .sent(let bytes): seal(bytes, of: app, on: connection, taken)
    }
  }

  /// Reads the facts of a new asset; fails unless it is a photo or a video.
  private func look(into copy: SealedCopy, name: String, _ completion: @escaping Completion<ItemFacts>) {
    let media = opened.media
    workers.run(.read) {
      Result { () throws(BrokerError) in
        let facts: ItemFacts
        do throws(MediaFailure) {
          do throws(MediaFailure) { facts = try media.facts(copy.descriptor, sidecar: nil, name: name) } catch {
            guard error.isOfDecoders else { throw error }
            facts = try media.signature(copy.descriptor, name: name)
          }
        } catch {
          throw .photos(
            .invalidResource,
            "The bytes are not a photo or video (\(error.message)); add a file of a supported type.")
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

  /// Copies the bytes of an app's descriptor; the original is not trusted afterwards. Threads of
  /// their own read them, because a slow sender must not delay others' photos.
  private func receive(
    _ handed: HandedDescriptor, upTo limitBytes: Int = .max, of app: AppIdentifier, on connection: Connection,
    _ completion: @escaping Completion<SealedCopy>
  ) {
    let user = connection.socket.peer.uid
    let (threads, closer, account) = (
      connection.threads.readers, connection.threads.closer, AllowanceOfUser(shares.copying, user: user)
    )
    let completion = workers.answered(completion)
    inTurn(app, connection) { [self] files, done in
      takingOver.take(
        FairQueue.Turn(user: user, app: app) { [self] over in
          workers.attempt(.receive) { () throws(DeliveryError) -> SealedCopy in
            guard let descriptor = handed.take() else { throw .timedOut }
            return try files.receive(
              descriptor, lowerLimitBytes: limitBytes, account: account, hasher: LibraryFiles.digest,
              start: { threads.run(for: user, $0) },
              closing: { closer.close(OwnedDescriptors($0), of: user) })
          } then: { result in
            over()
            done()
            completion(result.mapError { BrokerError(incoming: $0) })
          }
        })
    }
  }

  /// Seals bytes that an app sent in messages, up to 64 MiB, on a worker.
  private func seal(
    _ sent: SentBytes, of app: AppIdentifier, on connection: Connection, _ completion: @escaping Completion<SealedCopy>
  ) {
    let (user, completion) = (connection.socket.peer.uid, workers.answered(completion))
    inTurn(app, connection) { [self] _, done in
      bytes.withMemory(for: Int64(sent.byteCount), of: user, isWanted: { !connection.isClosed }) { [self] memory in
        bytes.workInTurn(of: user, app) { () -> Result<SealedCopy, DeliveryError> in
          Result { () throws(DeliveryError) in
            try SealedCopy.of(sent.pieces, hasher: LibraryFiles.digest, memory: memory)
          }
        } then: { result in
          done()
          completion(result.mapError { BrokerError(incoming: $0) })
        }
      }
    }
  }

  /// An app's uploads to one library at a time, so that a slow sender delays only itself.
  private static let uploadsAtOnce = 2

  /// Begins after the app's earlier uploads; never, if its connection closes first.
  private func inTurn(
    _ app: AppIdentifier, _ connection: Connection,
    _ begin: @escaping (IncomingFiles, _ done: @escaping () -> Void) -> Void
  ) {
    // A cancelled read can stay in the kernel for ever, if the app's file system blocks it.
    let (queue, files) =
      incoming[app] ?? (
        FairQueue(limit: Self.uploadsAtOnce),
        IncomingFiles(
          limitBytes: ServiceLimits.addedAssetBytes, timeLimit: .seconds(60), pendingLimit: 2 * Self.uploadsAtOnce)
      )
    incoming[app] = (queue, files)
    var closing: UInt64?
    let turn = FairQueue.Turn(user: connection.socket.peer.uid, app: app) { [self, weak connection, weak queue] done in
      connection?.forgetClose(closing)
      begin(files) { [self] in
        done()
        if let queue, queue.isIdle, files.pendingCount == 0 { incoming[app] = nil }
      }
    }
    queue.take(turn)
    if !turn.hasBegun {
      closing = connection.onClose { [weak queue, weak turn] in if let turn { queue?.drop(turn) } }
    }
  }
}
