import Broker
import Catalogue
import Delivery
import Indexer
import Limits
import PhotoModel
import PluginKit

/// New assets of one library's change requests: written into the storage, and committed all together
/// or not at all.
final class CreationService: LibraryService {
  /// Most requests that write into the storage at a time.
  private static let storingRequests = 8
  /// Most change requests that wait for a commit.
  private static let changeRequests = 4

  let context: LibraryContext
  private let opened: OpenedStorage
  private let scanner: Scanner
  private let leftovers: Leftovers
  private var storing = FairQueue(places: storingRequests)
  private var changing = FairQueue(places: changeRequests)

  init(_ context: LibraryContext, opened: OpenedStorage, scanner: Scanner, leftovers: Leftovers) {
    self.context = context
    self.opened = opened
    self.scanner = scanner
    self.leftovers = leftovers
  }

  func stop() {
    storing = FairQueue(places: Self.storingRequests)
    changing = FairQueue(places: Self.changeRequests)
  }

  /// Performs or dry-runs a change request without new assets, in its turn, so that many requests
  /// of one app delay neither others' nor the scans.
  func change(_ request: CreatingRequest, dryRun: Bool, _ completion: @escaping Completion<ChangeOutcome>) {
    let completion = workers.answered(completion)
    changing.take(
      FairQueue.Turn(user: request.user, app: request.app) { [library] over in
        library.perform(
          request.steps, grant: request.grant, attenuation: request.attenuation, dryRun: dryRun,
          refusal: request.refusal
        ) { result in
          over()
          completion(result)
        }
      })
  }

  /// Performs a change request. Its files go to the storage, and its steps are committed together
  /// with them. If it fails, its files are trashed before the answer.
  func perform(_ request: CreatingRequest, _ coming: [ComingAsset], _ completion: @escaping Completion<ChangeOutcome>) {
    let completion = workers.answered(completion)
    // A dry run checks the steps before anything is written.
    change(request, dryRun: true) { [self] result in
      guard case .success = result else { return completion(result) }
      guard broker.roomForPhotos(in: library) >= coming.count else {
        return completion(.failure(.noRoomForPhotos))
      }
      if request.dryRun {
        return opened.checkThatStorageChanges(isEnough: \.takesAdditions) { completion($0.flatMap { result }) }
      }
      guard opened.storage != nil else { return completion(.failure(.offline)) }
      // Bounds the files on their way, so that one app's are never all of them.
      storing.take(
        FairQueue.Turn(user: request.user, app: request.app) { [self] over in
          begin(request, coming) { result in
            over()
            completion(result)
          }
        })
    }
  }

  private func begin(
    _ request: CreatingRequest, _ coming: [ComingAsset], _ completion: @escaping Completion<ChangeOutcome>
  ) {
    guard let storage = opened.storage else { return completion(.failure(.offline)) }
    let files = coming.map { (size: Int64($0.copy.byteCount), digest: $0.copy.digest ?? []) }
    library.additions.begin(files, by: request.app) { [self] result in
      result.orFail(completion) { additions in
        scanner.pendingImports.begin()
        save(StoringTurn(coming: coming, additions: additions), request, in: storage) { [self] result in
          scanner.didAdd()
          completion(result)
        }
      }
    }
  }

  private struct StoringTurn {
    let coming: [ComingAsset]
    let additions: [Addition]
    var numbers: [Addition.Number] { additions.map(\.number) }
    var records: [AssetRecord] = []
  }

  private func save(
    _ turn: StoringTurn, _ request: CreatingRequest, in storage: PluginStorage,
    _ completion: @escaping Completion<ChangeOutcome>
  ) {
    let index = turn.records.count
    guard index < turn.coming.count else { return takeUp(turn, request, completion) }
    if let refusal = request.refusal() { return giveUp(turn, refusal, completion) }
    let (asset, number) = (turn.coming[index], turn.additions[index].number)
    let mark = library.assets.mark
    let check = placeCheck
    workers.attempt(.read) { () throws(StorageFailure) -> StagedFile in
      try check()
      return try storage.stage(asset.copy)
    } then: { [self] result in
      switch result {
      case .failure(let error) where error.code == .unsupported:
        let folder = request.hasFolder ? turn.additions[index].folder : nil
        write(turn, request, in: storage, completion) { () throws(StorageFailure) in
          try check()
          return try storage.add(asset.copy, name: asset.name, folder: folder)
        }
      // A file without a name is never found again.
      case .failure(let error): giveUp(turn, BrokerError(storage: error), completion)
      case .success(let staged):
        // If it is the owner's own file, it must not be recorded as the request's: it would be
        // trashed if the broker stopped now.
        checkThatNew(staged.identityHint, before: mark) { [self] error in
          if let error { return discard(staged, of: storage) { [self] in giveUp(turn, error, completion) } }
          library.additions.identify(number, by: staged.identityHint) { [self] result in
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

  /// Checked on a worker before each write, because folders may have moved since the storage was
  /// opened.
  private var placeCheck: @Sendable () throws(StorageFailure) -> Void {
    let (allowedPlaces, record, source) = (opened.allowedPlaces, library.record, opened.files?.source)
    return { () throws(StorageFailure) in
      if let source { try allowedPlaces.checkAdding(to: source, of: record) }
    }
  }

  /// Discards an unnamed file before its request ends, so that an app has no more of them than
  /// running requests.
  private func discard(_ staged: StagedFile, of storage: PluginStorage, _ completion: @escaping () -> Void) {
    workers.run(.read) { () -> StorageFailure? in
      do throws(StorageFailure) { try storage.discard(staged) } catch { return error }
      return nil
    } then: { [self] failure in
      if let failure {
        workers.log.warning(
          "an unnamed file was not removed; the storage removes it a day later",
          ["library": "\(library.record.name)", "reason": failure.message])
      }
      completion()
    }
  }

  /// Lets the storage write the next file, then continues with the rest.
  private func write(
    _ turn: StoringTurn, _ request: CreatingRequest, in storage: PluginStorage,
    _ completion: @escaping Completion<ChangeOutcome>,
    _ body: @escaping @Sendable () throws(StorageFailure) -> StorageItem
  ) {
    let (asset, addition) = (turn.coming[turn.records.count], turn.additions[turn.records.count])
    let builder = opened.assetBuilder(now: environment.now)
    let mark = library.assets.mark
    workers.attempt(.read) { () throws(StorageFailure) -> AssetRecord in
      builder.record(try body(), facts: asset.facts, proof: ContentProof(digest: asset.copy.digest))
    } then: { [self] result in
      switch result {
      // After a refusal the storage has nothing. After a timeout it may have the file.
      case .failure(let error):
        giveUp(turn, mayHave: [.offline, .failed].contains(error.code), BrokerError(storage: error), completion)
      case .success(let record):
        guard let file = record.resources.first else { return giveUp(turn, .offline, completion) }
        let place = Addition.Place(locator: file.locator, contentVersion: file.contentVersion)
        checkThatNew(file.identityHint, at: place, before: mark) { [self] error in
          // A file that existed before is not the request's, and stays.
          if let error { return giveUp(turn, error, completion) }
          var turn = turn
          turn.records.append(record)
          library.additions.place(addition.number, at: place, identity: file.identityHint) { [self] result in
            switch result {
            case .failure(let error): giveUp(turn, error, completion)
            case .success: save(turn, request, in: storage, completion)
            }
          }
        }
      }
    }
  }

  /// Fails if the storage returns an existing asset's file as the new one. The app would see it,
  /// and a failed request would trash it.
  private func checkThatNew(
    _ identity: String?, at place: Addition.Place? = nil, before mark: AssetMark,
    _ completion: @escaping (BrokerError?) -> Void
  ) {
    let locators = Set([place?.locator].compactMap { $0 }.map { ExactText($0) })
    let scope = AssetScope(locators: locators, hints: Set([identity].compactMap { $0 }))
    store.assets(of: library.record.name, in: scope) { [self] result in
      switch result.map({ mark.hasFile(of: identity, at: place, in: $0) }) {
      case .failure(let failure): completion(BrokerError(.failed, failure.message))
      case .success(false): completion(nil)
      case .success(true):
        workers.log.error(
          "a storage's plugin is faulty: it reports a file as just added that was there before; the file is ignored",
          ["library": "\(library.record.name)", "storage": library.record.backend])
        // The message does not mention the existing file, because the app may not see it.
        completion(.photos(.internalError, "The library's storage failed; the broker's log says why."))
      }
    }
  }

  private func takeUp(
    _ turn: StoringTurn, _ request: CreatingRequest, _ completion: @escaping Completion<ChangeOutcome>
  ) {
    let created = CreatedAssets(
      records: turn.records, additions: turn.numbers, app: request.app, joining: request.joining,
      pendingImports: scanner.pendingImports)
    library.perform(
      request.steps, grant: request.grant, attenuation: request.attenuation, dryRun: false, created: created,
      refusal: request.refusal
    ) { [self] result in
      switch result {
      case .failure(let error): giveUp(turn, error, completion)
      case .success: completion(result)
      }
    }
  }

  /// - Parameter mayHave: Whether the storage may also have the next file.
  private func giveUp(
    _ turn: StoringTurn, mayHave: Bool = false, _ error: BrokerError, _ completion: @escaping Completion<ChangeOutcome>
  ) {
    library.additions.abandon(turn.numbers)
    library.additions.forget(Array(turn.numbers.dropFirst(turn.records.count + (mayHave ? 1 : 0))))
    leftovers.clear(turn.numbers, turn.records) { completion(.failure(error)) }
  }
}

extension BrokerError {
  static let noRoomForPhotos = BrokerError.photos(
    .notEnoughSpace,
    "This library has no room for further photos; photobroker library list tells its owner."
  )

  static let createdTooMuch = BrokerError.photos(
    .limitExceeded, "One request creates at most \(ServiceLimits.createdBytes) bytes; make several requests.")
  static let comingTooMuch = BrokerError.photos(
    .limitExceeded,
    "Too much is being created at once: at most \(ServiceLimits.createdBytesPerApp) bytes by one app and "
      + "\(ServiceLimits.createdBytesPerUser) by a user's apps in a library, or less if memory is short; wait for the "
      + "earlier answers."
  )
  static let tooManyCreated = BrokerError.photos(
    .limitExceeded, "One request creates at most \(ServiceLimits.createdAssets) assets; make several requests.")
}
