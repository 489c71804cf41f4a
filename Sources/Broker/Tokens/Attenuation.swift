package import Catalogue
package import PhotoModel

/// The assets to which a token is attenuated, while it is attached.
package final class Attenuation {
  /// The listed assets that were in the library, or missing, when the token was attached.
  package let selection: Selection
  /// All listed assets by internal identifier, so that log entries about removed assets can be
  /// matched.
  let identifiers: Set<AssetIdentifier>

  init(selection: Selection, identifiers: Set<AssetIdentifier>) {
    self.selection = selection
    self.identifiers = identifiers
  }

  /// Whether an entry of the change log is about these assets.
  func concerns(_ entry: ChangeRecord) -> Bool { Self.concerns(entry, identifiers) }

  static func concerns(_ entry: ChangeRecord, _ identifiers: Set<AssetIdentifier>) -> Bool {
    entry.identifier.map(identifiers.contains) ?? false
  }
}

extension LibraryState {
  /// Resolves a token's list of assets in this library; unknown identifiers have no effect.
  /// - Parameter identifiers: the app's identifiers.
  package func attenuation(to identifiers: [AssetIdentifier], for app: AppIdentifier) throws(BrokerError) -> Attenuation
  {
    let seals = try seals[app]
    var named = Set<AssetIdentifier>()
    for identifier in identifiers { named.insert(try seals.open(identifier)) }
    let numbers = named.compactMap { catalogue.position(of: $0, in: .everything).map(catalogue.number) }
    return Attenuation(selection: catalogue.selection(of: numbers), identifiers: named)
  }
}
