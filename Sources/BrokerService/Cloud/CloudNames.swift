import Broker
import Catalogue
import Macaroons
import Monitor
import PhotoModel
import PluginKit

/// A library's cloud identifiers. Asks the mapping's plugin on a worker, and caches the index of
/// each app. Used on the loop's thread.
final class CloudNames: LibraryService {
  /// Number of apps whose index is kept; that of a million photos takes some 70 MB.
  private static let indexLimit = 8
  /// Assets visited in one turn of the loop, which takes half a millisecond.
  private static let turn = 2_000

  let context: LibraryContext
  private let mapping: PluginCloudMapping
  private let defaultMapping: String
  private let digests: DigestService
  private var indexes: [Names: CloudIndex] = [:]
  /// Least recently used first.
  private var recent: [Names] = []
  /// Number of times that the mapping's plugin was replaced.
  private var mappings = 0

  init(_ context: LibraryContext, digests: DigestService) {
    self.context = context
    mapping = context.factory.cloudMapping(for: context.library.record)
    defaultMapping = context.factory.defaultCloudMapping
    self.digests = digests
  }

  var mappingName: String { library.record.plugins.cloudMapping ?? defaultMapping }

  func stop() {
    let mapping = mapping
    _ = DetachedThread.start { mapping.stop() }
  }

  /// Restarts the cloud mapping, because its plugin was replaced, installed or removed.
  func renew() {
    mapping.renew()
    forget()
    let mapping = mapping
    workers.run(.read) { () -> StorageFailure? in
      do throws(StorageFailure) { try mapping.check() } catch { return error }
      return nil
    } then: { [self] failure in
      note(failure)
    }
  }

  /// Tells the owner whether the cloud mapping answers; nil: it does.
  private func note(_ failure: StorageFailure?) {
    let name = mappingName
    let problem = failure.map { failure in
      Reason(
        .mappingSilent,
        "The cloud mapping \"\(name)\" does not answer, so apps cannot find photos that they know from another "
          + "machine: "
          + failure.message, ["mapping": name])
    }
    guard problem != status.silentMapping else { return }
    status.silentMapping = problem
    status.show()
  }

  /// Asks the cloud mapping for names.
  /// - Parameter completion: Gets nil if it does not answer; the log has the reason.
  private func name(_ items: [CloudItem], application: String, _ completion: @escaping ([String?]?) -> Void) {
    let mapping = mapping
    let completion = workers.answered { (result: Result<[String?]?, BrokerError>) in
      completion((try? result.get()) ?? nil)
    }
    workers.attempt(.read) { () throws(StorageFailure) -> [String?] in
      try mapping.names(of: items, application: application)
    } then: { [self] result in
      let failure: StorageFailure? = if case .failure(let failure) = result { failure } else { nil }
      note(failure)
      if let failure {
        workers.log.warning(
          "cloud identifiers cannot be mapped", ["library": "\(library.record.name)", "reason": failure.message])
      }
      completion(.success(try? result.get()))
    }
  }

  /// Drops all answers, because the mapping's plugin or its version changed, or it may not be used
  /// any more.
  private func forget() {
    mappings += 1
    indexes = [:]
    recent = []
  }

  /// Names of assets and albums, in order; nil for an item without one.
  func names(of items: [CloudItem], application: String, _ completion: @escaping Completion<[String?]>) {
    if items.isEmpty { return completion(.success([])) }
    name(items, application: application) { names in
      completion(names.map { .success($0) } ?? .failure(.mappingFailed))
    }
  }

  /// The names of an app.
  struct Names: Hashable {
    let app: AppIdentifier
    let application: String
    /// Photos are named by the original as cleaned for the app, whether or not it gets files. The name
    /// of the stored file would confirm a guess of a withheld place to an app with all other bytes.
    let withheld: WithheldFacts
  }

  /// Timeout of a call that waits for remote files.
  struct Patience {
    let end = MonotonicTime.now.advanced(by: DigestService.patience)
    let isWanted: () -> Bool
  }

  /// The digest of each asset's original without these facts, by which it is named; empty: it cannot be
  /// cleaned, and has no name. It leaves out assets without a digest and remote ones that cannot be
  /// read in full now.
  func digests(
    of assets: [AssetNumber], for app: AppIdentifier, without withheld: WithheldFacts, _ patience: Patience,
    _ completion: @escaping Completion<[AssetNumber: [UInt8]]>
  ) {
    if assets.isEmpty { return completion(.success([:])) }
    guard withheld.isEmpty else {
      return digests.workOutDigests(
        of: assets, DigestService.Cleaning(app: app, withheld: withheld), until: patience.end,
        isWanted: patience.isWanted
      ) { completion(.success($0)) }
    }
    store.digests(of: assets, in: library.record.name) { [digests] result in
      guard case .success(let known) = result else {
        return completion(result.map { _ in [:] }.mapError { BrokerError(.failed, $0.message) })
      }
      let unknown = assets.filter { known[$0] == nil }
      digests.workOutDigests(of: unknown, until: patience.end, isWanted: patience.isWanted) { found in
        completion(.success(known.merging(found) { first, _ in first }.filter { $0.value.count == 32 }))
      }
    }
  }

  /// The index of all visible assets.
  ///
  /// - Parameter isWhole: Whether these are all assets that the app's grant shows. An attenuated
  ///   token with fewer assets gets an index of its own, which is not cached.
  func index(
    of visible: [AssetNumber], _ names: Names, isWhole: Bool, _ patience: Patience,
    _ completion: @escaping Completion<CloudIndex>
  ) {
    var index = isWhole ? indexes[names] ?? CloudIndex() : CloudIndex()
    index.withheld = names.withheld
    index.beginWalk()
    let mapping = mappings
    walk(Walk(index: index, rest: visible[...], patience: patience), names) { [self] result in
      // The index mixes the names of two mappings, so it is made again.
      guard mapping == mappings || !patience.isWanted() else {
        return self.index(of: visible, names, isWhole: isWhole, patience, completion)
      }
      if isWhole, mapping == mappings, case .success(let index) = result { keep(index, for: names) }
      completion(result)
    }
  }

  private struct Walk {
    var index: CloudIndex
    var rest: ArraySlice<AssetNumber>
    var patience: Patience
  }

  /// One piece of the walk. The next one follows in another turn of the loop.
  private func walk(_ state: Walk, _ names: Names, _ completion: @escaping Completion<CloudIndex>) {
    var state = state
    let catalogue = library.catalogue
    var unnamed: [AssetNumber: UInt32] = [:]
    for number in state.rest.prefix(Self.turn) {
      guard let position = catalogue.position(of: number) else { continue }
      let version = catalogue.version(position)
      if state.index.meet(number, version: version) { unnamed[number] = version }
    }
    state.rest = state.rest.dropFirst(Self.turn)
    let next = state
    name(unnamed, in: next, names) { [self] result in
      guard case .success(var state) = result else { return completion(result.map(\.index)) }
      if state.rest.isEmpty {
        state.index.finishWalk()
        return completion(.success(state.index))
      }
      let carried = state
      workers.later { [self] in walk(carried, names, completion) }
    }
  }

  private func name(
    _ unnamed: [AssetNumber: UInt32], in state: Walk, _ names: Names, _ completion: @escaping Completion<Walk>
  ) {
    let numbers = unnamed.keys.sorted()
    digests(of: numbers, for: names.app, without: names.withheld, state.patience) { [self] result in
      guard case .success(let digests) = result else { return completion(result.map { _ in state }) }
      let known = numbers.filter { digests[$0] != nil }
      var state = state
      // Also if the library is offline: an unread asset may be the searched one.
      if known.count < numbers.count { state.index.isWhole = false }
      let next = state
      let items = known.compactMap { number in digests[number].flatMap { $0.isEmpty ? nil : (number, $0) } }
      self.names(of: items.map { .asset(digest: $0.1) }, application: names.application) { result in
        completion(
          result.map { texts in
            var state = next
            let texts = Dictionary(uniqueKeysWithValues: zip(items.map(\.0), texts))
            for number in known {
              state.index.name(number, version: unnamed[number] ?? 0, texts[number] ?? nil)
            }
            return state
          })
      }
    }
  }

  private func keep(_ index: CloudIndex, for names: Names) {
    recent.removeAll { $0 == names }
    recent.append(names)
    if recent.count > Self.indexLimit { indexes[recent.removeFirst()] = nil }
    indexes[names] = index
  }
}

extension BrokerError {
  fileprivate static let mappingFailed = BrokerError.photos(
    .internalError, "The cloud mapping does not answer, so nothing can be mapped now; try again later.")
}
