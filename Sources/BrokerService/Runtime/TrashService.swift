import Broker
import BrokerStore
import Catalogue
import Delivery
import EventLoop
import PhotoModel

/// Moves one library's deleted assets into the storage's trash, and restores them from there.
final class TrashService: LibraryService {
  /// Delay before another attempt to trash files. The library's start and each full scan try at
  /// once.
  private static let trashRetry = Duration.seconds(60)

  let context: LibraryContext
  private let opened: OpenedStorage
  private var isMoving = false
  private var isRetrySet = false

  init(_ context: LibraryContext, opened: OpenedStorage) {
    self.context = context
    self.opened = opened
  }

  /// Moves deleted assets' files into the backend's trash. Files that fail stay invisible to apps
  /// until the next attempt, and the owner is told. A file that replaced a deleted one is not
  /// touched.
  func moveToTrash() {
    guard let storage = opened.storage, !isMoving, !workers.isStopped else { return }
    let waiting = library.trash.awaiting
    guard !waiting.isEmpty else { return status.trash = nil }
    isMoving = true
    moveToTrash(waiting.sorted { $0.rawValue < $1.rawValue }[...], storage, nil)
  }

  private func moveToTrash(_ rest: ArraySlice<AssetNumber>, _ storage: PluginStorage, _ problem: Reason?) {
    guard let number = rest.first, !workers.isStopped else { return didMoveToTrash(problem) }
    let files = opened.files
    store.asset(number, of: library.record.name) { [self] result in
      // Restored meanwhile.
      guard library.trash.awaiting.contains(number) else { return moveToTrash(rest.dropFirst(), storage, problem) }
      workers.run(.read) { () -> Reason? in
        do {
          if let record = try result.get() { try Self.trash(record, files, storage) }
          return nil
        } catch {
          return Self.reason(error)
        }
      } then: { [self] failure in
        if failure == nil { library.trash.didMove(number) }
        moveToTrash(rest.dropFirst(), storage, problem ?? failure)
      }
    }
  }

  /// Trashes all files of an asset. Files that replaced one of them, and files of other assets
  /// beside it, stay. Files in one folder go and come back together.
  private static func trash(_ record: AssetRecord, _ files: LibraryFiles?, _ storage: PluginStorage) throws {
    guard let file = record.resources.first, try files?.isReplaced(file) != true else { return }
    let others = record.resources.dropFirst().filter { $0.role == .sidecar || (try? files?.isReplaced($0)) != true }
    // The photo itself goes last, so that a scan in between never finds it without the others.
    let elsewhere = Dictionary(grouping: others.filter { !isBeside($0, file) }) { StorageFolder(of: $0.locator) }
    for group in elsewhere.values {
      // Sidecars of a file that another one replaced stay with that.
      guard let first = group.first(where: { $0.role != .sidecar }) else { continue }
      try trash(first, with: group.filter { $0 != first }, size: size(of: group), files, storage)
    }
    try trash(file, with: others.filter { isBeside($0, file) }, size: size(of: record.resources), files, storage)
  }

  /// A trashed asset's file at its present place, for pictures to its owner.
  func present(_ file: ResourceRecord, of number: AssetNumber, _ completion: @escaping Completion<ResourceRecord>) {
    guard let storage = opened.storage else { return completion(.failure(.offline)) }
    if library.trash.awaiting.contains(number) { return completion(.success(file)) }
    let completion = workers.answered(completion)
    workers.attempt(.read) { () throws(StorageFailure) -> ResourceRecord in
      var file = file
      file.locator = try storage.findTrashed(file)
      return file
    } then: { result in
      completion(result.mapError { BrokerError(.failed, $0.message, $0.reason) })
    }
  }

  private static func isBeside(_ other: ResourceRecord, _ file: ResourceRecord) -> Bool {
    StorageFolder(of: other.locator) == StorageFolder(of: file.locator)
  }

  /// If another file takes its place during the move, the storage reports it missing.
  private static func trash(
    _ file: ResourceRecord, with others: [ResourceRecord], size: Int64, _ files: LibraryFiles?,
    _ storage: PluginStorage
  ) throws {
    do throws(StorageFailure) { try storage.trash(file, with: others, size: size) } catch {
      // The record may also be outdated, as on a disk that was mounted again. The next scan finds
      // out.
      guard error.code == .notFound, try files?.isReplaced(file) == true else { throw error }
    }
  }

  private static func size(of files: [ResourceRecord]) -> Int64 {
    files.reduce(0) { sum, file in
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
    isMoving = false
    guard !workers.isStopped else { return }
    let left = library.trash.awaiting.count
    if let problem, problem != status.trash {
      workers.log.warning(
        "deleted assets' files were not moved to the trash",
        ["library": "\(library.record.name)", "count": "\(left)", "reason": problem.text])
    }
    status.trash = problem
    status.show()
    // Assets deleted meanwhile need no delay.
    guard left > 0, !isRetrySet else { return }
    isRetrySet = true
    workers.loop.schedule(after: problem == nil ? .zero : Self.trashRetry) { [weak self] in
      self?.isRetrySet = false
      self?.moveToTrash()
    }
  }

  /// Restores assets from the storage's trash into the library, and completes with their number.
  /// Files that the storage no longer has stay in the list. It stops at an offline storage, and
  /// reports a failure only if nothing came back.
  /// - Parameter keeping: Further changes for the commit.
  func restore(_ assets: [AssetNumber], keeping: [StoreChange] = [], _ completion: @escaping Completion<Int>) {
    restore(assets[...], [], nil, keeping, workers.answered(completion))
  }

  private func restore(
    _ rest: ArraySlice<AssetNumber>, _ back: [AssetNumber], _ failure: StorageFailure?, _ keeping: [StoreChange],
    _ completion: @escaping Completion<Int>
  ) {
    guard let number = rest.first, failure?.code != .offline else {
      if back.isEmpty, let failure {
        return completion(.failure(.refused(failure.message, failure.reason)))
      }
      return library.trash.restore(back, keeping: keeping, completion: completion)
    }
    guard let storage = opened.storage else { return completion(.failure(.offline)) }
    store.asset(number, of: library.record.name) { [self] result in
      let record: AssetRecord? = if case .success(let record) = result { record } else { nil }
      bringBack(record, storage) { [self] new in
        // A missing file is no failure.
        restore(
          rest.dropFirst(), new == nil ? back + [number] : back, new?.code == .notFound ? failure : new ?? failure,
          keeping, completion)
      }
    }
  }

  /// From a storage that identifies files by locator alone, and had two of them.
  private static let another = StorageFailure(
    .failed, .restoredAnother,
    "The storage restored another file from the same place; the photo itself is still in its trash.")

  private static func taken(_ place: String) -> StorageFailure {
    StorageFailure(
      .failed, .placeTaken,
      "Another file is at \(place) now. Move or rename it, then restore the photo again.", ["path": place])
  }

  private func bringBack(
    _ record: AssetRecord?, _ storage: PluginStorage, _ completion: @escaping (StorageFailure?) -> Void
  ) {
    guard let record, let file = record.resources.first else {
      return completion(StorageFailure(.notFound, "The broker has no record of it any more."))
    }
    let size = Self.size(of: record.resources)
    let (files, allowedPlaces) = (opened.files, opened.allowedPlaces)
    workers.run(.read) { () -> Outcome in
      // A taken place proves nothing later.
      let wasFree = files?.isFree(file) ?? false
      do throws(StorageFailure) {
        if let files { try allowedPlaces.checkRestoring(file.locator, to: files.source) }
      } catch { return .failed(error, place: nil) }
      do throws(StorageFailure) { try storage.restore(file, size: size) } catch {
        // After a timeout it may still have come back. It may also be there because an earlier
        // restore took the place.
        guard files?.isThere(file) != true else { return .wasThere(error) }
        // A remote storage cannot tell another file from none.
        let taken = record.resources.first {
          files?.source.isFar == false && Self.isBeside($0, file) && (try? files?.isReplaced($0)) == true
        }
        return .failed(error, place: taken?.locator)
      }
      if wasFree, (try? files?.isReplaced(file)) == true { return .failed(Self.another, place: nil) }
      // Files of other folders are trashed separately, sidecars with one of them. The photo counts as
      // restored even without them.
      for other in record.resources where !Self.isBeside(other, file) && other.role != .sidecar {
        do throws(StorageFailure) {
          if let files { try allowedPlaces.checkRestoring(other.locator, to: files.source) }
          try storage.restore(other, size: other.size)
        } catch { continue }
      }
      return .back
    } then: { [self] outcome in
      switch outcome {
      case .back: completion(nil)
      case .failed(let failure, let place?): noteRemaining(failure, place, completion)
      case .failed(let failure, nil):
        guard failure.code == .failed, failure.why == nil else { return noteRemaining(failure, nil, completion) }
        findAnother(at: record.resources, than: record.row.number) { [self] in noteRemaining(failure, $0, completion) }
      case .wasThere(let failure):
        findAnother(at: [file], than: record.row.number) { [self] in
          if $0 != nil { noteRemaining(failure, nil, completion) } else { completion(nil) }
        }
      }
    }
  }

  private enum Outcome {
    case back
    /// The storage did not restore it, and it is in its place.
    case wasThere(StorageFailure)
    /// - Parameter place: The place of another file that prevents it, if known.
    case failed(StorageFailure, place: String?)
  }

  private func noteRemaining(_ failure: StorageFailure, _ taken: String?, _ completion: (StorageFailure?) -> Void) {
    workers.log.warning(
      "a deleted asset's files were not brought back", ["library": "\(library.record.name)", "reason": failure.message])
    completion(taken.map(Self.taken) ?? failure)
  }

  /// Finds the place of one of the files that another asset has now, for instance because somebody
  /// copied the same bytes there.
  private func findAnother(
    at files: [ResourceRecord], than number: AssetNumber, _ completion: @escaping (String?) -> Void
  ) {
    let places = Set(files.map { ExactText($0.locator) })
    store.assets(of: library.record.name, in: AssetScope(locators: places)) { result in
      let others = (try? result.get())?.filter { $0.row.number != number && !$0.row.flags.contains(.trashed) }
      completion(others?.lazy.flatMap(\.resources).map(\.locator).first { places.contains(ExactText($0)) })
    }
  }
}
