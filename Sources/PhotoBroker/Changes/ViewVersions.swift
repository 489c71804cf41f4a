import BrokerInterface

/// What an app's view holds, as identifiers and versions: enough to find what an app that kept
/// assets has to fetch again after its change token expired, or after it was told to resynchronize.
public struct ViewVersions: Hashable, Sendable {
  /// The version of each asset, by local identifier: ``Asset/version``.
  public private(set) var versions: [String: String] = [:]
  /// From before the versions: go on from here with ``PhotoLibrary/changes(since:)``. Empty where
  /// the app's token was narrowed and does not allow that.
  public private(set) var changeToken = ""

  init() {}

  mutating func add(_ page: Library.FetchVersions.Reply) {
    changeToken = page.changeToken ?? changeToken
    for (identifier, version) in zip(page.localIdentifiers, page.versions) { versions[identifier] = version }
  }

  /// Identifiers to fetch: those that are not known, or are known in another version. In order of the identifiers.
  ///
  /// - Parameter known: the version of each asset that the app kept, by local identifier.
  public func stale(comparedWith known: [String: String]) -> [String] {
    versions.filter { known[$0.key] != $0.value }.keys.sorted()
  }

  /// Identifiers that the app kept and that are not in its view any more. In order of the identifiers.
  public func removed(comparedWith known: [String: String]) -> [String] {
    known.keys.filter { versions[$0] == nil }.sorted()
  }
}
