import Broker
import BrokerInterface
import Catalogue
import PhotoModel

/// Turns the interface's selector into assets. Paths are not kept in memory, so a pattern asks the store first.
enum SelectorResolver {
  static func resolve(
    _ selector: Admin.Selector, in library: LibraryState, core: ServiceCore, marking: Bool = false,
    _ completion: @escaping (Result<[AssetRow], CallFailure>) -> Void
  ) {
    do throws(CallFailure) {
      let wanted = try plain(selector)
      guard let glob = selector.glob else {
        return completion(Result { () throws(CallFailure) in try rows(wanted, library, marking) })
      }
      let pattern = try Glob(glob)
      let carried = Box<(Result<[(asset: AssetNumber, locator: String)], StoreFailure>) -> Void> { result in
        switch result {
        case .failure(let failure): completion(.failure(.broker(BrokerError(.failed, failure.message))))
        case .success(let locators):
          var wanted = wanted
          wanted.paths = library.catalogue.selection(of: locators.lazy.filter { pattern.matches($0.locator) }.map(\.asset))
          let chosen = wanted
          completion(Result { () throws(CallFailure) in try rows(chosen, library, marking) })
        }
      }
      core.store.locators(of: library.record.name) { carried.value($0) }
    } catch {
      completion(.failure(error))
    }
  }

  private static func rows(_ wanted: OwnerSelector, _ library: LibraryState, _ marking: Bool) throws(CallFailure) -> [AssetRow] {
    try decide { () throws(BrokerError) in try library.resolve(wanted, marking: marking) }
  }

  private static func plain(_ selector: Admin.Selector) throws(CallFailure) -> OwnerSelector {
    var wanted = OwnerSelector()
    if let identifiers = selector.identifiers {
      wanted.identifiers = try identifiers.map { text throws(CallFailure) in try AdminParameters.asset(text) }
    }
    wanted.createdFrom = selector.createdFrom.map { Timestamp(microseconds: $0) }
    wanted.createdBefore = selector.createdBefore.map { Timestamp(microseconds: $0) }
    wanted.filename = selector.filename
    if let name = selector.mediaType {
      guard let type = MediaType(name: name) else { throw .invalid("selector.mediaType") }
      wanted.mediaType = type
    }
    wanted.favourite = selector.favorite
    wanted.last = selector.last.map { Int(clamping: $0) }
    wanted.everything = selector.all ?? false
    return wanted
  }
}
