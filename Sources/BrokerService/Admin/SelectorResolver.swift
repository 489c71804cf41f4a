import Broker
import BrokerInterface
import Catalogue
import PhotoModel

/// Resolves the interface's selectors to assets. Paths are not kept in memory, so a pattern reads
/// the store first.
struct SelectorResolver {
  let store: any Store
  let runtimes: LibraryRuntimes

  func resolve(
    _ selector: Admin.Selector, in library: LibraryState, for purpose: SelectorPurpose = .giving,
    _ completion: @escaping (Result<OwnerChoice, CallFailure>) -> Void
  ) {
    withPaths(of: selector.glob == nil ? [] : [library]) { result in
      do throws(CallFailure) {
        guard let glob = selector.glob else {
          return completion(.success(try choice(selector, library, paths: nil, for: purpose)))
        }
        let pattern = try Glob(glob)
        let paths = try result.get()[library.record.name, default: []]
        choose([pattern], among: paths, in: library) { chosen in
          completion(
            chosen.flatMap { chosen in
              Result { () throws(CallFailure) in try choice(selector, library, paths: chosen.first, for: purpose) }
            })
        }
      } catch {
        completion(.failure(error))
      }
    }
  }

  /// Resolves a selector to a selection; nil if there is no selector. Answers the call itself if
  /// that fails.
  func resolve(
    _ selector: Admin.Selector?, in library: LibraryState, for purpose: SelectorPurpose = .giving, _ call: IncomingCall,
    _ body: @escaping (Selection?) throws(CallFailure) -> Void
  ) throws(CallFailure) {
    guard let selector else { return try body(nil) }
    lookUp(selector, in: library, for: purpose, call) {
      $1.selection(in: $0)
    } then: { found throws(CallFailure) in
      try body(found)
    }
  }

  /// Looks a selector's assets up in the catalogue, on a worker if that takes long.
  func lookUp<R: Sendable>(
    _ selector: Admin.Selector, in library: LibraryState, for purpose: SelectorPurpose, _ call: IncomingCall,
    _ body: @escaping @Sendable (Catalogue, OwnerChoice) -> R, then: @escaping (R) throws(CallFailure) -> Void
  ) {
    resolve(selector, in: library, for: purpose) { result in
      guard !call.isClosed else { return }
      call.attempt { () throws(CallFailure) in
        let choice = try result.get()
        runtimes[library].queries.lookUp(
          effort: choice.effort(in: library.catalogue), { body($0, choice) }, then: call.answering(then))
      }
    }
  }

  /// Resolves each choice to the union of its selectors. The paths of a library are read once.
  func resolve(
    _ choices: [(library: LibraryState, selectors: [Admin.Selector])],
    _ completion: @escaping (Result<[Selection], CallFailure>) -> Void
  ) {
    let withPattern = choices.filter { $0.selectors.contains { $0.glob != nil } }
    var libraries: [LibraryName: LibraryState] = [:]
    for (library, _) in withPattern { libraries[library.record.name] = library }
    withPaths(of: Array(libraries.values)) { result in
      switch result {
      case .failure(let failure): completion(.failure(failure))
      case .success(let paths):
        withPatterns(withPattern[...], paths) { result in
          completion(result.flatMap { chosen in Result { () throws(CallFailure) in try unions(of: choices, chosen) } })
        }
      }
    }
  }

  private func unions(
    of choices: [(library: LibraryState, selectors: [Admin.Selector])], _ named: [Selection]
  ) throws(CallFailure) -> [Selection] {
    var selections: [Selection] = []
    var rest = named[...]
    for (library, selectors) in choices {
      var chosen = library.catalogue.emptySelection()
      for selector in selectors {
        let choice = try choice(selector, library, paths: selector.glob == nil ? nil : rest.popFirst(), for: .giving)
        chosen = library.catalogue.union(chosen, choice.selection(in: library.catalogue))
      }
      selections.append(chosen)
    }
    return selections
  }

  /// The assets that each pattern of the choices matches, in their order.
  private func withPatterns(
    _ choices: ArraySlice<(library: LibraryState, selectors: [Admin.Selector])>, _ paths: Paths,
    _ body: @escaping (Result<[Selection], CallFailure>) -> Void
  ) {
    guard let (library, selectors) = choices.last else { return body(.success([])) }
    do throws(CallFailure) {
      var patterns: [Glob] = []
      for case let glob? in selectors.map(\.glob) { patterns.append(try Glob(glob)) }
      choose(patterns, among: paths[library.record.name, default: []], in: library) { result in
        switch result {
        case .failure(let failure): body(.failure(failure))
        case .success(let chosen): withPatterns(choices.dropLast(), paths) { body($0.map { $0 + chosen }) }
        }
      }
    } catch {
      body(.failure(error))
    }
  }

  /// The assets that each pattern matches. Matching all paths takes too long for the loop, so it
  /// runs on a worker.
  private func choose(
    _ patterns: [Glob], among paths: [(asset: AssetNumber, locator: String)], in library: LibraryState,
    _ body: @escaping (Result<[Selection], CallFailure>) -> Void
  ) {
    guard !patterns.isEmpty else { return body(.success([])) }
    let bytes = paths.lazy.map(\.locator.utf8.count).reduce(0, +)
    let steps = bytes * patterns.lazy.map(\.words).reduce(0, +)
    runtimes[library].queries.lookUp(effort: max(paths.count, steps / Self.stepsPerAsset)) { catalogue in
      patterns.map { pattern in
        catalogue.selection(of: paths.lazy.filter { pattern.matches($0.locator) }.map(\.asset))
      }
    } then: { found in
      body(Result { () throws(CallFailure) in try decide(found.get()) })
    }
  }

  /// Pattern steps that take about as long as testing one asset.
  private static let stepsPerAsset = 16

  /// The assets in a folder and below it; nil without a folder.
  func members(
    of folder: String?, in library: LibraryState, _ call: IncomingCall,
    _ body: @escaping (Selection?) throws(CallFailure) -> Void
  ) {
    guard let folder else { return call.attempt { () throws(CallFailure) in try body(nil) } }
    paths(of: library) { result in
      call.resume { () throws(CallFailure) in
        let (paths, prefix) = (try result.get(), folder + "/")
        runtimes[library].queries.lookUp(
          effort: paths.count,
          { catalogue in
            catalogue.selection(of: paths.lazy.filter { $0.locator.hasPrefix(prefix) }.map(\.asset))
          },
          then: call.answering { (found: Selection) throws(CallFailure) in try body(found) })
      }
    }
  }

  /// The path of each asset's first file.
  func paths(
    of library: LibraryState,
    _ body: @escaping (Result<[(asset: AssetNumber, locator: String)], CallFailure>) -> Void
  ) {
    withPaths(of: [library]) { body($0.map { $0[library.record.name, default: []] }) }
  }

  private typealias Paths = [LibraryName: [(asset: AssetNumber, locator: String)]]

  private func withPaths(
    of libraries: [LibraryState], _ body: @escaping (Result<Paths, CallFailure>) -> Void
  ) {
    guard let library = libraries.last else { return body(.success([:])) }
    let rest = Array(libraries.dropLast())
    store.locators(of: library.record.name) { result in
      switch result {
      case .failure(let failure): body(.failure(.failed(.notRead, failure.message)))
      case .success(let locators):
        withPaths(of: rest) { result in
          body(
            result.map { paths in
              var paths = paths
              paths[library.record.name] = locators
              return paths
            })
        }
      }
    }
  }

  private func choice(
    _ selector: Admin.Selector, _ library: LibraryState, paths: Selection?, for purpose: SelectorPurpose
  ) throws(CallFailure) -> OwnerChoice {
    var wanted = try plain(selector)
    wanted.paths = paths
    return try decide(library.choice(wanted, for: purpose))
  }

  private func plain(_ selector: Admin.Selector) throws(CallFailure) -> OwnerSelector {
    var wanted = OwnerSelector()
    if let identifiers = selector.identifiers {
      wanted.identifiers = try identifiers.map { text throws(CallFailure) in try AdminParameters.asset(text) }
    }
    wanted.album = try selector.album.map { text throws(CallFailure) in try AdminParameters.album(text) }
    wanted.createdFrom = selector.createdFrom.map { Timestamp(microseconds: $0) }
    wanted.createdBefore = selector.createdBefore.map { Timestamp(microseconds: $0) }
    wanted.filename = selector.filename
    wanted.mediaType = try CallFailure.named(selector.mediaType, in: "selector.mediaType", by: \MediaType.name)
    wanted.favourite = selector.favorite
    wanted.hidden = selector.hidden
    wanted.neverShare = selector.neverShare
    wanted.last = selector.last.map { Int(clamping: $0) }
    wanted.everything = selector.all ?? false
    return wanted
  }
}
