import Broker
import Catalogue
import Delivery
import EventLoop
import Indexer
import Limits
import PhotoModel
import PluginKit
import UnixSocket

/// A change request that creates assets, on its way. On the loop only.
final class CreatingRequest {
  let steps: [ChangeStep]
  let library: LibraryState
  let grant: GrantState
  let narrowing: Narrowing?
  let app: AppIdentifier
  /// Who runs the app.
  let user: UInt32
  let dryRun: Bool
  /// Whether what it creates lies in a folder of its own in the storage.
  let hasFolder: Bool
  /// Why it may no longer be carried out, if so; asked before each step that leaves something behind.
  let refusal: () -> BrokerError?
  /// Whose selection what it creates joins.
  let joining: () -> GrantState?

  init(
    steps: [ChangeStep], library: LibraryState, grant: GrantState, narrowing: Narrowing?, app: AppIdentifier,
    user: UInt32, dryRun: Bool,
    hasFolder: Bool, refusal: @escaping () -> BrokerError?, joining: @escaping () -> GrantState?
  ) {
    self.steps = steps
    self.library = library
    self.grant = grant
    self.narrowing = narrowing
    self.app = app
    self.user = user
    self.dryRun = dryRun
    self.hasFolder = hasFolder
    self.refusal = refusal
    self.joining = joining
  }
}

/// What change requests create: taken over, looked into, written into the storage, and taken up all
/// together or not at all.
extension LibraryRuntime {
  /// Takes over what an app handed over for one request, one after the other, and looks into all of it.
  func takeOver(
    _ handed: [(name: String, bytes: HandedBytes)], of app: AppIdentifier, on connection: Connection,
    _ completion: @escaping (Result<[ComingAsset], BrokerError>) -> Void
  ) {
    takeOver(handed[...], [], of: app, on: connection, answered(completion))
  }

  private func takeOver(
    _ rest: ArraySlice<(name: String, bytes: HandedBytes)>, _ coming: [ComingAsset], of app: AppIdentifier,
    on connection: Connection,
    _ completion: @escaping (Result<[ComingAsset], BrokerError>) -> Void
  ) {
    guard let next = rest.first else { return completion(.success(coming)) }
    // Whoever sent it has gone: nobody waits for what would be made of it.
    guard !connection.isClosed else { return }
    let left = coming.reduce(ServiceLimits.createdBytes) { $0 - $1.copy.byteCount }
    let taken = { [self] (result: Result<SealedCopy, BrokerError>) in
      switch result {
      case .failure(let error) where error.code == .photos(.limitExceeded) && !coming.isEmpty:
        completion(.failure(.createdTooMuch))
      case .failure(let error): completion(.failure(error))
      case .success(let copy):
        guard copy.byteCount <= left else { return completion(.failure(.createdTooMuch)) }
        // What has come is held while the rest comes, however slowly.
        let share: ComingBytes.Share
        let owner = ComingBytes.Owner(app: app, user: connection.socket.peer.uid, library: library.record.name)
        do throws(BrokerError) { share = try core.comingBytes.take(copy.byteCount, of: owner) } catch {
          return completion(.failure(error))
        }
        look(into: copy, name: next.name) { [self] result in
          switch result {
          case .failure(let error): completion(.failure(error))
          case .success(let facts):
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

  /// Carries out a change request that creates nothing, or looks whether one can be made at all,
  /// when its turn comes: no app's many requests keep those of others waiting, nor what the storage
  /// has to tell.
  func change(
    _ request: CreatingRequest, dryRun: Bool, _ completion: @escaping (Result<ChangeOutcome, BrokerError>) -> Void
  ) {
    let completion = answered(completion)
    changing.take(
      FairTurns.Turn(user: request.user, app: request.app) { [library] over in
        library.perform(
          request.steps, grant: request.grant, narrowing: request.narrowing, dryRun: dryRun, refusal: request.refusal
        ) { result in
          over()
          completion(result)
        }
      })
  }

  /// Carries out a change request: what it creates is given to the storage, and taken up with all
  /// its steps in one commit. What was given to the storage for one that fails is taken out of it
  /// again before the answer.
  func perform(
    _ request: CreatingRequest, _ coming: [ComingAsset],
    _ completion: @escaping (Result<ChangeOutcome, BrokerError>) -> Void
  ) {
    let completion = answered(completion)
    // Before anything is written it is seen whether the steps can be made at all.
    change(request, dryRun: true) { [self] result in
      guard case .success = result else { return completion(result) }
      guard core.broker.roomForPhotos(in: library) >= coming.count else {
        return completion(.failure(.noRoomForPhotos))
      }
      if request.dryRun { return checkThatStorageChanges { completion($0.flatMap { result }) } }
      guard storage != nil else { return completion(.failure(.offline)) }
      // How many files are on their way is bounded, and no app's are all of them.
      storing.take(
        FairTurns.Turn(user: request.user, app: request.app) { [self] over in
          begin(request, coming) { result in
            over()
            completion(result)
          }
        })
    }
  }

  private func begin(
    _ request: CreatingRequest, _ coming: [ComingAsset],
    _ completion: @escaping (Result<ChangeOutcome, BrokerError>) -> Void
  ) {
    guard let storage else { return completion(.failure(.offline)) }
    let files = coming.map { (size: Int64($0.copy.byteCount), digest: $0.copy.digest ?? []) }
    library.begin(files, by: request.app) { [self] result in
      switch result {
      case .failure(let error): completion(.failure(error))
      case .success(let additions):
        newcomers.begin()
        store(StoringTurn(coming: coming, additions: additions), request, in: storage) { [self] result in
          newcomers.didWrite()
          // A look that is under way may have asked what is known before this was.
          if looks.isIndexing { looks.additions += 1 } else { newcomers.end() }
          completion(result)
        }
      }
    }
  }

  /// How far a request has come with giving its files to the storage.
  private struct StoringTurn {
    let coming: [ComingAsset]
    let additions: [Addition]
    var numbers: [Addition.Number] { additions.map(\.number) }
    var records: [AssetRecord] = []
  }

  private func store(
    _ turn: StoringTurn, _ request: CreatingRequest, in storage: any LibraryStorage,
    _ completion: @escaping (Result<ChangeOutcome, BrokerError>) -> Void
  ) {
    let index = turn.records.count
    guard index < turn.coming.count else { return takeUp(turn, request, completion) }
    if let refusal = request.refusal() { return giveUp(turn, refusal, completion) }
    let (asset, number) = (turn.coming[index], turn.additions[index].number)
    let mark = library.assetMark
    let check = placeCheck
    work(readers) { () -> Result<StagedFile, StorageFailure> in
      Result { () throws(StorageFailure) in
        try check()
        return try storage.stage(asset.copy)
      }
    } then: { [self] result in
      switch result {
      case .failure(let error) where error.code == .unsupported:
        let folder = request.hasFolder ? turn.additions[index].folder : nil
        write(turn, request, in: storage, completion) { () throws(StorageFailure) in
          try check()
          return try storage.add(asset.copy, name: asset.name, folder: folder)
        }
      // It has no name, and nobody finds it.
      case .failure(let error): giveUp(turn, BrokerError(storage: error), completion)
      case .success(let staged):
        // Noted as the request's, a file of the owner's would be taken away where the broker ends.
        checkThatNew(staged.identityHint, before: mark) { [self] error in
          if let error { return discard(staged, of: storage) { [self] in giveUp(turn, error, completion) } }
          library.identify(number, by: staged.identityHint) { [self] result in
            let error: BrokerError? = if case .failure(let error) = result { error } else { request.refusal() }
            if let error {
              return discard(staged, of: storage) { [self] in giveUp(turn, error, completion) }
            }
            write(turn, request, in: storage, completion) { () throws(StorageFailure) in
              try check()
              return try storage.publish(staged, name: asset.name)
            }
          }
        }
      }
    }
  }

  /// Asked on a worker before anything is written: folders may have moved since the storage was opened.
  private var placeCheck: @Sendable () throws(StorageFailure) -> Void {
    let (admission, record, source) = (core.configuration.admission, library.record, files?.source)
    return { () throws(StorageFailure) in
      if let source { try admission.checkAdding(to: source, of: record) }
    }
  }

  /// A file that gets no name lies where nobody sees it, and is taken away before its request is
  /// over: what apps have there is bounded by what they have on its way.
  private func discard(_ staged: StagedFile, of storage: any LibraryStorage, _ completion: @escaping () -> Void) {
    work(readers) { () -> StorageFailure? in
      do throws(StorageFailure) { try storage.discard(staged) } catch { return error }
      return nil
    } then: { [self] failure in
      if let failure {
        core.log.warning(
          "a file without a name was not taken away; the storage does so a day later",
          ["library": "\(library.record.name)", "reason": failure.message])
      }
      completion()
    }
  }

  /// Has the storage give the next file its place, and goes on with those after it.
  private func write(
    _ turn: StoringTurn, _ request: CreatingRequest, in storage: any LibraryStorage,
    _ completion: @escaping (Result<ChangeOutcome, BrokerError>) -> Void,
    _ body: @escaping @Sendable () throws(StorageFailure) -> ScannedItem
  ) {
    let (asset, addition) = (turn.coming[turn.records.count], turn.additions[turn.records.count])
    let builder = AssetBuilder(zone: zone, now: core.environment.now)
    let mark = library.assetMark
    work(readers) { () -> Result<AssetRecord, StorageFailure> in
      Result { () throws(StorageFailure) in
        builder.record(try body(), facts: asset.facts, proof: ContentProof(digest: asset.copy.digest))
      }
    } then: { [self] result in
      switch result {
      // One that refuses has nothing of it; of one that does not answer nobody knows.
      case .failure(let error):
        giveUp(turn, mayHave: [.offline, .failed].contains(error.code), BrokerError(storage: error), completion)
      case .success(let record):
        guard let file = record.resources.first else { return giveUp(turn, .offline, completion) }
        let place = Addition.Place(locator: file.locator, contentVersion: file.contentVersion)
        checkThatNew(file.identityHint, at: place, before: mark) { [self] error in
          // What was there before is left as it is, and is not the request's.
          if let error { return giveUp(turn, error, completion) }
          var turn = turn
          turn.records.append(record)
          library.place(addition.number, at: place, identity: file.identityHint) { [self] result in
            switch result {
            case .failure(let error): giveUp(turn, error, completion)
            case .success: store(turn, request, in: storage, completion)
            }
          }
        }
      }
    }
  }

  /// Refuses what a storage says it was just given where that is an asset's file already: the app
  /// would see it, and it would be taken away as the app's where the request fails.
  private func checkThatNew(
    _ identity: String?, at place: Addition.Place? = nil, before mark: AssetMark,
    _ completion: @escaping (BrokerError?) -> Void
  ) {
    let carried = Box { [self] (result: Result<Bool, StoreFailure>) in
      switch result {
      case .failure(let failure): completion(BrokerError(.failed, failure.message))
      case .success(false): completion(nil)
      case .success(true):
        core.log.error(
          "a storage's plugin is faulty: it says of a file that was there before that it was just added; nothing is made of it",
          ["library": "\(library.record.name)", "storage": library.record.backend])
        // No word of what is there: the app may not see it.
        completion(.photos(.internalError, "The library's storage failed; the broker's log says why."))
      }
    }
    let locators = Set([place?.locator].compactMap { $0 }.map { ExactText($0) })
    let scope = AssetScope(locators: locators, hints: Set([identity].compactMap { $0 }))
    core.store.assets(of: library.record.name, in: scope) { result in
      carried.value(result.map { mark.hasFile(of: identity, at: place, in: $0) })
    }
  }

  private func takeUp(
    _ turn: StoringTurn, _ request: CreatingRequest,
    _ completion: @escaping (Result<ChangeOutcome, BrokerError>) -> Void
  ) {
    let created = CreatedAssets(
      records: turn.records, additions: turn.numbers, app: request.app, joining: request.joining, newcomers: newcomers)
    library.perform(
      request.steps, grant: request.grant, narrowing: request.narrowing, dryRun: false, created: created,
      refusal: request.refusal
    ) { [self] result in
      switch result {
      case .failure(let error): giveUp(turn, error, completion)
      case .success: completion(result)
      }
    }
  }

  /// - Parameter mayHave: Whether the storage may have the one after those that it has.
  private func giveUp(
    _ turn: StoringTurn, mayHave: Bool = false, _ error: BrokerError,
    _ completion: @escaping (Result<ChangeOutcome, BrokerError>) -> Void
  ) {
    library.abandon(turn.numbers)
    library.forget(Array(turn.numbers.dropFirst(turn.records.count + (mayHave ? 1 : 0))))
    clear(turn.numbers, turn.records) { completion(.failure(error)) }
  }
}

extension BrokerError {
  static let noRoomForPhotos = BrokerError.photos(
    .notEnoughSpace,
    "There is no room for further photos in this library; its owner is told by `photobroker library list` where some wait."
  )

  static let createdTooMuch = BrokerError.photos(
    .limitExceeded, "What one request creates has at most \(ServiceLimits.createdBytes) bytes; make several requests.")
  static let comingTooMuch = BrokerError.photos(
    .limitExceeded,
    "What an app's requests create at a time has at most \(ServiceLimits.createdBytesPerApp) bytes, and a user's apps' in a library at "
      + "most \(ServiceLimits.createdBytesPerUser), and there has to be memory for it; wait for the answers to those before."
  )
  static let tooManyCreated = BrokerError.photos(
    .limitExceeded, "One request creates at most \(ServiceLimits.createdAssets) assets; make several requests.")
}
