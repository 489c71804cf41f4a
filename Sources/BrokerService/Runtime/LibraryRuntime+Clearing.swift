import Broker
import Catalogue
import Delivery
import EventLoop
import PhotoModel

/// What change requests left in the storage that were cut off before they were whole: taken out of it again, into its trash.
extension LibraryRuntime {
  /// How long to wait before the storage is looked through for what could not be cleared away.
  private static let clearingRetry = Duration.seconds(60)

  /// Takes files of requests that are over, and whose place is known, out of the storage. Of others it is known after a look at
  /// everything whether they are there, and where: see ``clearFound(_:)``.
  func clear(_ completion: @escaping () -> Void) {
    let known = library.abandonedAdditions.filter { $0.addition.locator != nil }
    clear(known.compactMap { one in one.addition.locator.map { Leftover(one.addition, at: $0) } }[...], completion)
  }

  /// The same after a look at everything: what it found of them is taken away, what it did not is not there.
  func clearFound(_ completion: @escaping () -> Void) {
    let files = files
    let all = library.abandonedAdditions
    library.forget(all.filter(\.files.isEmpty).map(\.addition.number))
    work(readers) { () -> [Leftover] in
      all.compactMap { one in
        // Of others that bear the name none is touched.
        let file = one.files.first { file in
          let digest = try? files?.digest(file.locator, contentVersion: file.contentVersion, size: file.size, Transfer())
          return digest == one.addition.digest
        }
        return file.map { Leftover(one.addition, at: $0.locator) }
      }
    } then: { [self] found in
      let other = all.filter { one in !one.files.isEmpty && !found.contains { $0.number == one.addition.number } }
      library.forget(other.map(\.addition.number))
      clear(found[...], completion)
    }
  }

  private struct Leftover: Sendable {
    let number: Addition.Number
    let locator: String
    let size: Int64

    init(_ addition: Addition, at locator: String) {
      number = addition.number
      self.locator = locator
      size = addition.size
    }
  }

  private func clear(_ rest: ArraySlice<Leftover>, _ completion: @escaping () -> Void) {
    guard let next = rest.first, let storage, !isStopped else {
      if !library.abandonedAdditions.isEmpty { clearLater() }
      return completion()
    }
    work(readers) { () -> StorageFailure? in
      do throws(StorageFailure) { try storage.trash(next.locator, size: next.size) } catch { return error }
      return nil
    } then: { [self] failure in
      if let failure {
        core.log.warning(
          "a file of a request that was cut off was not taken away", ["library": "\(library.record.name)", "reason": failure.message])
      } else {
        cleared.append(next.number)
        forgetCleared()
      }
      clear(rest.dropFirst(), completion)
    }
  }

  /// What is gone from the storage is forgotten, but not while a look is under way that may have seen it there.
  func forgetCleared() {
    guard !looks.isIndexing else { return }
    library.forget(cleared)
    cleared = []
  }

  private func clearLater() {
    guard !isClearingSet else { return }
    isClearingSet = true
    core.loop.schedule(after: Self.clearingRetry) { [weak self] in
      guard let self else { return }
      self.isClearingSet = false
      if !self.isStopped, !self.library.abandonedAdditions.isEmpty { self.rescan() }
    }
  }
}
