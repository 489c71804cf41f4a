import Broker
import Delivery
import EventLoop
import Indexer
import PhotoModel
import UnixSocket

/// Bytes that apps send for new assets: copied, and read for their facts.
extension LibraryRuntime {
  /// Reads the facts of a new asset; fails unless it is a photo or a video.
  func look(into copy: SealedCopy, name: String, _ completion: @escaping (Result<ItemFacts, BrokerError>) -> Void) {
    let media = opened.media
    workers.run(.read) {
      Result { () throws(BrokerError) in
        let facts: ItemFacts
        do throws(MediaFailure) { facts = try media.facts(copy.descriptor, sidecar: nil, name: name) } catch {
          throw .photos(
            .invalidResource,
            "The bytes are no photo or video that can be read (\(error.message)); add a file of a supported type.")
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
  func receive(
    _ handed: HandedDescriptor, upTo limitBytes: Int = .max, of app: AppIdentifier, on connection: Connection,
    _ completion: @escaping (Result<SealedCopy, BrokerError>) -> Void
  ) {
    let user = connection.socket.peer.uid
    let (threads, closer, account) = (
      connection.readers, connection.closer, AllowanceOfUser(core.shares.copying, user: user)
    )
    let completion = workers.answered(completion)
    inTurn(app, connection) { [self] files, done in
      takingOver.take(
        FairTurns.Turn(user: user, app: app) { [self] over in
          workers.run(.receive) { () -> Result<SealedCopy, DeliveryError> in
            Result { () throws(DeliveryError) in
              guard let descriptor = handed.take() else { throw .timedOut }
              return try files.receive(
                descriptor, lowerLimitBytes: limitBytes, account: account, hasher: LibraryFiles.digest,
                start: { threads.run(for: user, $0) },
                closing: { closer.close(OwnedDescriptors($0), of: user) })
            }
          } then: { result in
            over()
            done()
            completion(result.mapError { BrokerError(incoming: $0) })
          }
        })
    }
  }

  /// Seals bytes that an app sent in messages, up to 64 MiB, on a worker.
  func seal(
    _ bytes: SentBytes, of app: AppIdentifier, on connection: Connection,
    _ completion: @escaping (Result<SealedCopy, BrokerError>) -> Void
  ) {
    let (user, completion) = (connection.socket.peer.uid, workers.answered(completion))
    inTurn(app, connection) { [self] _, done in
      self.bytes.withMemory(for: Int64(bytes.byteCount), of: user, isWanted: { !connection.isClosed }) {
        [self] memory in
        self.bytes.workInTurn(of: user, app) { () -> Result<SealedCopy, DeliveryError> in
          Result { () throws(DeliveryError) in
            try SealedCopy.of(bytes.pieces, hasher: LibraryFiles.digest, memory: memory)
          }
        } then: { result in
          done()
          completion(result.mapError { BrokerError(incoming: $0) })
        }
      }
    }
  }

  /// Begins after the app's earlier uploads; never, if its connection closes first.
  private func inTurn(
    _ app: AppIdentifier, _ connection: Connection,
    _ begin: @escaping (IncomingFiles, _ done: @escaping () -> Void) -> Void
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
    if !turns.take(turn) {
      closing = connection.onClose { [weak turns, weak turn] in if let turn { turns?.drop(turn) } }
    }
  }
}
