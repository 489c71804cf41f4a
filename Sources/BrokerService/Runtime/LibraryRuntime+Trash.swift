import Broker
import BrokerStore
import Catalogue
import Delivery
import EventLoop
import PhotoModel

extension LibraryRuntime {
  /// How long to wait before what could not be moved to the trash is tried again; the library's
  /// start and each look at all of it try at once.
  private static let trashRetry = Duration.seconds(60)

  /// Moves the files of deleted assets into the backend's trash. What fails stays where it is, out
  /// of every app's sight, until it is tried again; the owner is told. A file that somebody put in
  /// the place of a deleted one meanwhile is not touched.
  func moveToTrash() {
    guard let storage, !isMovingToTrash, !isStopped else { return }
    let waiting = library.awaitingTrash
    guard !waiting.isEmpty else { return trashProblem = nil }
    isMovingToTrash = true
    moveToTrash(waiting.sorted { $0.rawValue < $1.rawValue }[...], storage, nil)
  }

  private func moveToTrash(_ rest: ArraySlice<AssetNumber>, _ storage: any LibraryStorage, _ problem: Reason?) {
    guard let number = rest.first, !isStopped else { return didMoveToTrash(problem) }
    let files = files
    let found = Box<(Result<AssetRecord?, StoreFailure>) -> Void> { [self] result in
      // Restored meanwhile.
      guard library.awaitingTrash.contains(number) else { return moveToTrash(rest.dropFirst(), storage, problem) }
      work(readers) { () -> Reason? in
        do {
          if let record = try result.get() { try Self.trash(record, files, storage) }
          return nil
        } catch {
          return Self.reason(error)
        }
      } then: { [self] failure in
        if failure == nil { library.didMoveToTrash(number) }
        moveToTrash(rest.dropFirst(), storage, problem ?? failure)
      }
    }
    core.store.asset(number, of: library.record.name) { result in found.value(result) }
  }

  /// Moves all files of an asset that it still has: none that another one has the place of, and
  /// none that lies beside it and is another asset's, whatever its name. Those in its folder go and
  /// come back together.
  private static func trash(_ record: AssetRecord, _ files: LibraryFiles?, _ storage: any LibraryStorage) throws {
    guard let file = record.resources.first, try files?.isReplaced(file) != true else { return }
    let others = record.resources.dropFirst().filter { $0.role == .sidecar || (try? files?.isReplaced($0)) != true }
    // The photo itself goes last: a look that comes in between finds the others gone, and not without it.
    for other in others where !isBeside(other, file) && other.role != .sidecar {
      try trash(other, with: [], size: other.size, files, storage)
    }
    try trash(file, with: others.filter { isBeside($0, file) }, size: size(of: record), files, storage)
  }

  private static func isBeside(_ other: ResourceRecord, _ file: ResourceRecord) -> Bool {
    StorageFolder(of: other.locator) == StorageFolder(of: file.locator)
  }

  /// A file that gets the place of this one while the storage moves is found there, by what is known of this one.
  private static func trash(
    _ file: ResourceRecord, with others: [ResourceRecord], size: Int64, _ files: LibraryFiles?,
    _ storage: any LibraryStorage
  ) throws {
    do throws(StorageFailure) { try storage.trash(file, with: others, size: size) } catch {
      // What is known may be old as well, as of a disk that was mounted anew: the next look tells.
      guard error.code == .notFound, try files?.isReplaced(file) == true else { throw error }
    }
  }

  /// Bytes of all of an asset's files.
  private static func size(of record: AssetRecord) -> Int64 {
    record.resources.reduce(0) { sum, file in
      let (sum, isTooMuch) = sum.addingReportingOverflow(file.size)
      return isTooMuch ? .max : sum
    }
  }

  private static func reason(_ error: any Error) -> Reason {
    switch error {
    case let failure as StorageFailure: failure.reason
    case let failure as StoreFailure: Reason(.stateNotRead, failure.message)
    case let failure as DeliveryError: Reason(skipping: failure)
    default: Reason(.storageFailed, "\(error)")
    }
  }

  private func didMoveToTrash(_ problem: Reason?) {
    isMovingToTrash = false
    guard !isStopped else { return }
    let left = library.awaitingTrash.count
    if let problem, problem != trashProblem {
      core.log.warning(
        "deleted assets' files were not moved to the trash",
        ["library": "\(library.record.name)", "count": "\(left)", "reason": problem.text])
    }
    trashProblem = problem
    showProblem()
    // What was deleted meanwhile waits no longer than what was tried.
    guard left > 0, !isTrashRetrySet else { return }
    isTrashRetrySet = true
    core.loop.schedule(after: problem == nil ? .zero : Self.trashRetry) { [weak self] in
      self?.isTrashRetrySet = false
      self?.moveToTrash()
    }
  }

  /// Has the storage bring assets back from its trash and takes them into the library again.
  /// Answers how many came; what the storage does not have any more stays in the trash. One that is
  /// away is asked for no more of them; where it has brought nothing back that is told.
  func restore(_ assets: [AssetNumber], _ completion: @escaping (Result<Int, BrokerError>) -> Void) {
    restore(assets[...], [], nil, answered(completion))
  }

  private func restore(
    _ rest: ArraySlice<AssetNumber>, _ back: [AssetNumber], _ failure: StorageFailure?,
    _ completion: @escaping (Result<Int, BrokerError>) -> Void
  ) {
    guard let number = rest.first, failure?.code != .offline else {
      if back.isEmpty, let failure {
        return completion(.failure(BrokerError(.refused, failure.message, failure.reason)))
      }
      return library.restore(back, completion: completion)
    }
    guard let storage else { return completion(.failure(.offline)) }
    let found = Box<(AssetRecord?) -> Void> { [self] record in
      bringBack(record, storage) { [self] new in
        // That there is nothing is no failure.
        restore(
          rest.dropFirst(), new == nil ? back + [number] : back, new?.code == .notFound ? failure : new ?? failure,
          completion)
      }
    }
    core.store.asset(number, of: library.record.name) { result in
      if case .success(let record) = result { found.value(record) } else { found.value(nil) }
    }
  }

  /// Of a storage that goes by the locator alone, and had two files of it.
  private static let another = StorageFailure(
    code: .failed,
    message: "The storage brought back another file that had the same place; the photo itself is still in its trash.",
    why: .restoredAnother)

  private func bringBack(
    _ record: AssetRecord?, _ storage: any LibraryStorage, _ completion: @escaping (StorageFailure?) -> Void
  ) {
    guard let record, let file = record.resources.first else {
      return completion(StorageFailure(code: .notFound, message: "Nothing is known of it any more."))
    }
    let size = Self.size(of: record)
    let (files, admission) = (files, core.configuration.admission)
    work(readers) { () -> Outcome in
      // Where something else has its place it comes back beside that, and its place tells nothing.
      let wasFree = files?.isFree(file) ?? false
      do throws(StorageFailure) {
        if let files { try admission.checkRestoring(file.locator, to: files.source) }
      } catch { return .failed(error) }
      do throws(StorageFailure) { try storage.restore(file, size: size) } catch {
        // One whose answer came too late, or never, may have brought it back; so may one that was
        // to bring back another file of the same place, which then refuses this one, since its
        // place is taken.
        return files?.isThere(file) ?? false ? .wasThere(error) : .failed(error)
      }
      if wasFree, (try? files?.isReplaced(file)) == true { return .failed(Self.another) }
      // Files of other folders lie in the trash by themselves. The photo is back, also where one of them is not.
      for other in record.resources where !Self.isBeside(other, file) && other.role != .sidecar {
        do throws(StorageFailure) {
          if let files { try admission.checkRestoring(other.locator, to: files.source) }
          try storage.restore(other, size: other.size)
        } catch { continue }
      }
      return .back
    } then: { [self] outcome in
      switch outcome {
      case .back: completion(nil)
      case .failed(let failure): noteRemaining(failure, completion)
      case .wasThere(let failure):
        isAnothers(file, than: record.row.number) { [self] in
          if $0 { noteRemaining(failure, completion) } else { completion(nil) }
        }
      }
    }
  }

  /// What became of bringing a file back.
  private enum Outcome {
    case back
    /// The storage did not bring it back, and it is where it was.
    case wasThere(StorageFailure)
    case failed(StorageFailure)
  }

  private func noteRemaining(_ failure: StorageFailure, _ completion: (StorageFailure?) -> Void) {
    core.log.warning(
      "a deleted asset's files were not brought back", ["library": "\(library.record.name)", "reason": failure.message])
    completion(failure)
  }

  /// Whether a file is taken for another asset by now, as where somebody put the same bytes into its place.
  private func isAnothers(_ file: ResourceRecord, than number: AssetNumber, _ completion: @escaping (Bool) -> Void) {
    let told = Box(completion)
    core.store.assets(of: library.record.name, in: AssetScope(locators: [ExactText(file.locator)])) { result in
      guard case .success(let found) = result else { return told.value(false) }
      told.value(found.contains { $0.row.number != number && !$0.row.flags.contains(.trashed) })
    }
  }
}
