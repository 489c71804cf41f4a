import Broker
import Catalogue
import Delivery
import EventLoop
import PhotoModel

/// Files of failed change requests. They go to the storage's trash, and the owner sees them among
/// the deleted photos.
final class Leftovers: LibraryService {
  /// Delay before a full scan for leftovers that could not be trashed.
  private static let clearingRetry = Duration.seconds(60)
  /// Attempts to trash a leftover. After that it stays as the owner's photo, who can delete it.
  private static let clearingAttempts = 3

  let context: LibraryContext
  private let opened: OpenedStorage
  private let rescan: () -> Void
  /// Trashed leftovers of failed requests.
  private var cleared: [Addition.Number] = []
  private var tries: [Addition.Number: Int] = [:]
  private var isRetrySet = false

  /// - Parameter rescan: Starts a full scan.
  init(_ context: LibraryContext, opened: OpenedStorage, rescan: @escaping () -> Void) {
    self.context = context
    self.opened = opened
    self.rescan = rescan
  }

  /// Trashes the files of a failed request whose place is known. For the others a full scan finds
  /// their place, see ``clearFound(_:)``.
  /// - Parameter records: The records that the first of them would have had.
  func clear(_ numbers: [Addition.Number], _ records: [AssetRecord], _ completion: @escaping () -> Void) {
    let known = library.additions.abandoned.map(\.addition).filter { numbers.contains($0.number) }
    let become = Dictionary(uniqueKeysWithValues: zip(numbers, records))
    let left = known.compactMap { one in
      one.place.map { Leftover(one, $0.locator, $0.contentVersion, become[one.number]) }
    }
    clear(left[...], completion)
  }

  /// Trashes leftovers that a full scan found, and forgets those that it did not find.
  /// - Parameter before: Leftovers of requests that had ended before the scan.
  func clearFound(_ before: Set<Addition.Number>) {
    let files = opened.files
    let all = library.additions.abandoned.filter { before.contains($0.addition.number) }
    library.additions.forget(all.filter(\.files.isEmpty).map(\.addition.number))
    let become = Dictionary(
      all.flatMap(\.files).compactMap { file in
        library.additions.heldBack(at: file.locator).map { (ExactText(file.locator), $0) }
      },
      uniquingKeysWith: { first, _ in first })
    workers.run(.read) { () -> [Leftover] in
      var digests: [ExactText: [UInt8]] = [:]
      var taken: Set<ExactText> = []
      return all.compactMap { one in
        if let place = one.addition.place {
          return one.files.isEmpty
            ? nil : Leftover(one.addition, place.locator, place.contentVersion, become[ExactText(place.locator)])
        }
        // The owner may have put files into the request's folder. Only one file with the request's
        // bytes is taken.
        let file = one.files.first { file in
          let locator = ExactText(file.locator)
          guard !taken.contains(locator) else { return false }
          if digests[locator] == nil {
            digests[locator] = try? files?.digest(
              file.locator, contentVersion: file.contentVersion, size: file.size, Transfer())
          }
          return digests[locator] == one.addition.digest
        }
        guard let file else { return nil }
        taken.insert(ExactText(file.locator))
        return Leftover(one.addition, file.locator, file.contentVersion, become[ExactText(file.locator)])
      }
    } then: { [self] found in
      let other = all.filter { one in !one.files.isEmpty && !found.contains { $0.number == one.addition.number } }
      library.additions.release(other.map(\.addition.number))
      clear(found[...]) {}
    }
  }

  private struct Leftover: Sendable {
    let number: Addition.Number
    let file: ResourceRecord
    /// The asset that it would have become, without files that its owner put beside it.
    let record: AssetRecord?

    /// Without a digest, because another file with the same bytes must not match.
    init(_ addition: Addition, _ locator: String, _ contentVersion: String, _ record: AssetRecord?) {
      number = addition.number
      self.record = record.map { whole in
        var record = whole
        record.resources.removeAll { ExactText($0.locator) != ExactText(locator) }
        return record
      }
      file = ResourceRecord(
        role: .original, locator: locator, filename: "", contentType: "", size: addition.size,
        contentVersion: contentVersion,
        identityHint: addition.identity, digest: nil)
    }
  }

  private enum Clearing: Sendable {
    case done
    /// Another file is in its place.
    case replaced
    case failed(String, mayWork: Bool)
  }

  private func clear(_ rest: ArraySlice<Leftover>, _ completion: @escaping () -> Void) {
    guard let next = rest.first, let storage = opened.storage, let files = opened.files, !workers.isStopped else {
      if !library.additions.abandoned.isEmpty { clearLater() }
      return completion()
    }
    workers.run(.read) { () -> Clearing in
      do throws(DeliveryError) { if try files.isReplaced(next.file) { return .replaced } } catch {
        return .failed("\(error)", mayWork: true)
      }
      do throws(StorageFailure) {
        try Self.takeAway(next.file, from: storage)
        return .done
      } catch {
        if error.code == .notFound { return .replaced }
        return .failed(error.message, mayWork: ![.readOnly, .unsupported].contains(error.code))
      }
    } then: { [self] outcome in
      switch outcome {
      case .done:
        tries[next.number] = nil
        cleared.append(next.number)
        forgetCleared()
        list(next)
      case .replaced: library.additions.release([next.number])
      case .failed(let message, let mayWork): didNotClear(next, message, mayWork: mayWork)
      }
      clear(rest.dropFirst(), completion)
    }
  }

  /// A file in the request's own folder is an item of its own. In a shared folder it is trashed
  /// without files that the owner may have put beside it.
  private static func takeAway(_ file: ResourceRecord, from storage: PluginStorage) throws(StorageFailure) {
    if let identity = file.identityHint {
      do throws(StorageFailure) {
        return try storage.withdraw(file.locator, identityHint: identity, size: file.size)
      } catch {
        guard error.code == .unsupported else { throw error }
      }
    }
    try storage.trash(file, with: nil, size: file.size)
  }

  /// Lists it among the owner's trashed photos.
  private func list(_ leftover: Leftover) {
    guard let record = leftover.record else { return }
    library.trash.keep(record) { [self] result in
      guard case .failure(let error) = result else { return }
      workers.log.error(
        "a file of an interrupted request is in the trash, and is not listed there",
        ["library": "\(library.record.name)", "reason": "\(error)"])
    }
  }

  private func didNotClear(_ leftover: Leftover, _ message: String, mayWork: Bool) {
    let count = tries[leftover.number, default: 0] + 1
    let isLast = !mayWork || count >= Self.clearingAttempts
    tries[leftover.number] = isLast ? nil : count
    workers.log.warning(
      isLast
        ? "a file of an interrupted request cannot be removed, and stays as the owner's"
        : "a file of an interrupted request was not removed",
      ["library": "\(library.record.name)", "reason": message])
    if isLast { library.additions.release([leftover.number]) }
  }

  /// Forgets trashed leftovers, unless a running scan may have seen them.
  func forgetCleared() {
    guard library.assets.placed == nil else { return }
    library.additions.forget(cleared)
    cleared = []
  }

  private func clearLater() {
    guard !isRetrySet else { return }
    isRetrySet = true
    workers.loop.schedule(after: Self.clearingRetry) { [weak self] in
      guard let self else { return }
      self.isRetrySet = false
      if !self.workers.isStopped, !self.library.additions.abandoned.isEmpty { self.rescan() }
    }
  }
}
