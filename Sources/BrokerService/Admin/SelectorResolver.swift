import Broker
import BrokerInterface
import Catalogue
import PhotoModel

/// Turns the interface's selector into assets. Paths are not kept in memory, so a pattern asks the store first.
enum SelectorResolver {
  static func resolve(
    _ selector: Admin.Selector, in library: LibraryState, core: ServiceCore, marking: Bool = false,
    _ completion: @escaping (Result<OwnerChoice, CallFailure>) -> Void
  ) {
    withPaths(of: selector.glob == nil ? [] : [library], core) { result in
      do throws(CallFailure) {
        guard let glob = selector.glob else {
          return completion(.success(try choice(selector, library, paths: nil, marking: marking)))
        }
        // A path for each asset of the library is too much for the loop.
        let pattern = try Glob(glob)
        let paths = try result.get()[library.record.name, default: []]
        core.runtime(library).lookUp(effort: paths.count) { catalogue in
          catalogue.selection(of: paths.lazy.filter { pattern.matches($0.locator) }.map(\.asset))
        } then: { found in
          completion(
            Result { () throws(CallFailure) in
              let paths = try decide { () throws(BrokerError) in try found.get() }
              return try choice(selector, library, paths: paths, marking: marking)
            })
        }
      } catch {
        completion(.failure(error))
      }
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
      completion(
        result.flatMap { paths in
          Result { () throws(CallFailure) in
            var selections: [Selection] = []
            for (library, selectors) in choices {
              var chosen = library.catalogue.emptySelection()
              for selector in selectors {
                let found = try selector.glob.map { glob throws(CallFailure) in
                  let pattern = try Glob(glob)
                  let named = paths[library.record.name, default: []].lazy.filter { pattern.matches($0.locator) }
                  return library.catalogue.selection(of: named.map(\.asset))
                }
                let choice = try choice(selector, library, paths: found, marking: false)
                chosen = library.catalogue.union(chosen, choice.selection(in: library.catalogue))
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
          body(
            result.map { paths in
              var paths = paths
              paths[library.record.name] = locators
              return paths
            })
        }
      }
    }
    core.store.locators(of: library.record.name) { carried.value($0) }
  }

  private static func choice(
    _ selector: Admin.Selector, _ library: LibraryState, paths: Selection?, marking: Bool
  ) throws(CallFailure) -> OwnerChoice {
    var wanted = try plain(selector)
    wanted.paths = paths
    return try decide { () throws(BrokerError) in try library.choice(wanted, marking: marking) }
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
