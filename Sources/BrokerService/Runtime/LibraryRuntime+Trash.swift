import Broker
import BrokerStore
import Catalogue
import PhotoModel

extension LibraryRuntime {
  /// Has the storage bring assets back from its trash and takes them into the library again. Answers how many came; what
  /// the storage does not have any more stays in the trash.
  func restore(_ assets: [AssetNumber], _ completion: @escaping (Result<Int, BrokerError>) -> Void) {
    restore(assets[...], [], completion)
  }

  private func restore(
    _ rest: ArraySlice<AssetNumber>, _ back: [AssetNumber], _ completion: @escaping (Result<Int, BrokerError>) -> Void
  ) {
    guard let number = rest.first else { return library.restore(back, completion: completion) }
    guard let storage else { return completion(.failure(.offline)) }
    let found = Box<(String?) -> Void> { [self] locator in
      bringBack(locator, storage) { [self] isBack in restore(rest.dropFirst(), isBack ? back + [number] : back, completion) }
    }
    core.store.asset(number, of: library.record.name) { result in
      var locator: String?
      if case .success(let record?) = result { locator = record.resources.first?.locator }
      found.value(locator)
    }
  }

  private func bringBack(_ locator: String?, _ storage: any LibraryStorage, _ completion: @escaping (Bool) -> Void) {
    guard let locator else { return completion(false) }
    work(readers) { () -> StorageFailure? in
      do throws(StorageFailure) { try storage.restore(locator) } catch { return error }
      return nil
    } then: { [self] failure in
      if let failure {
        core.log.warning(
          "a deleted asset's files were not brought back", ["library": "\(library.record.name)", "reason": failure.message])
      }
      completion(failure == nil)
    }
  }
}
