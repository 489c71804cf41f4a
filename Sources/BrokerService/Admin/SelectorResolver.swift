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
    withPaths(of: selector.glob == nil ? [] : [library], core) { result in
      completion(result.flatMap { paths in
        Result { () throws(CallFailure) in try rows(selector, library, paths, marking: marking) }
      })
    }
  }

  /// What each choice comes to: all that any of its selectors chooses. The paths of a library are asked for once.
  static func resolve(
    _ choices: [(library: LibraryState, selectors: [Admin.Selector])], core: ServiceCore,
    _ completion: @escaping (Result<[Selection], CallFailure>) -> Void
  ) {
    var libraries: [LibraryName: LibraryState] = [:]
    for choice in choices where choice.selectors.contains(where: { $0.glob != nil }) {
      libraries[choice.library.record.name] = choice.library
    }
    withPaths(of: Array(libraries.values), core) { result in
      completion(result.flatMap { paths in
        Result { () throws(CallFailure) in
          var selections: [Selection] = []
          for (library, selectors) in choices {
            var chosen = library.catalogue.emptySelection()
            for selector in selectors {
              let rows = try rows(selector, library, paths, marking: false)
              chosen = library.catalogue.union(chosen, library.catalogue.selection(of: rows.lazy.map(\.number)))
            }
            selections.append(chosen)
          }
          return selections
        }
      })
    }
  }

  private typealias Paths = [LibraryName: [(asset: AssetNumber, locator: String)]]

  private static func withPaths(
    of libraries: [LibraryState], _ core: ServiceCore, _ body: @escaping (Result<Paths, CallFailure>) -> Void
  ) {
    guard let library = libraries.last else { return body(.success([:])) }
    let rest = Array(libraries.dropLast())
    let carried = Box<(Result<[(asset: AssetNumber, locator: String)], StoreFailure>) -> Void> { result in
      switch result {
      case .failure(let failure): body(.failure(.broker(BrokerError(.failed, failure.message))))
      case .success(let locators):
        withPaths(of: rest, core) { result in
          body(result.map { paths in
            var paths = paths
            paths[library.record.name] = locators
            return paths
          })
        }
      }
    }
    core.store.locators(of: library.record.name) { carried.value($0) }
  }

  private static func rows(
    _ selector: Admin.Selector, _ library: LibraryState, _ paths: Paths, marking: Bool
  ) throws(CallFailure) -> [AssetRow] {
    var wanted = try plain(selector)
    if let glob = selector.glob {
      let pattern = try Glob(glob)
      let found = paths[library.record.name, default: []].lazy.filter { pattern.matches($0.locator) }
      wanted.paths = library.catalogue.selection(of: found.map(\.asset))
    }
    return try decide { () throws(BrokerError) in try library.resolve(wanted, marking: marking) }
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
