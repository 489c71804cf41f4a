import BrokerInterface

/// The identifiers and versions of an app's view. An app that keeps assets finds out with them
/// which to fetch again, after its change token expired or it was told to resynchronize.
public struct ViewVersions: Hashable, Sendable {
  /// The version of each asset by local identifier: ``Asset/version``.
  public private(set) var versions: [String: String] = [:]
  /// A change token from before the versions, for ``PhotoLibrary/changes(since:)``. Empty if the
  /// app's token was attenuated and does not allow observing.
  public private(set) var changeToken = ""

  init() {}

  mutating func add(_ page: Library.FetchVersions.Reply) {
    changeToken = page.changeToken ?? changeToken
    for (identifier, version) in zip(page.localIdentifiers, page.versions) { versions[identifier] = version }
  }

  /// Returns the identifiers of assets that are new or have another version, sorted.
  ///
  /// - Parameter known: the version of each asset that the app kept, by local identifier.
  public func stale(comparedWith known: [String: String]) -> [String] {
    versions.filter { known[$0.key] != $0.value }.keys.sorted()
  }

  /// Returns the identifiers of assets that the app kept and no longer sees, sorted.
  public func removed(comparedWith known: [String: String]) -> [String] {
    known.keys.filter { versions[$0] == nil }.sorted()
  }
}
