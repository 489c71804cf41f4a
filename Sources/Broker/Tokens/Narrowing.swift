package import Catalogue
package import PhotoModel

/// The assets that a token was narrowed to, for as long as it is attached.
package final class Narrowing {
  /// Those that are in the library, or were since the token was attached.
  package private(set) var selection: Selection
  /// All that the token names, in the library's own identifiers: they tell of an asset that is gone
  /// whether it was among them.
  let identifiers: Set<AssetIdentifier>

  init(selection: Selection, identifiers: Set<AssetIdentifier>) {
    self.selection = selection
    self.identifiers = identifiers
  }

  /// Takes up those of these that the token names: they were away (``AwayAsset``), and a selection
  /// has nothing of what was.
  func take(_ back: [AssetRow], in catalogue: Catalogue) {
    let named = back.filter { identifiers.contains($0.identifier) }.map(\.number)
    guard !named.isEmpty else { return }
    selection = catalogue.union(selection, catalogue.selection(of: named))
  }

  /// Whether an entry of the change log is about these assets.
  func concerns(_ entry: ChangeRecord) -> Bool { Self.concerns(entry, identifiers) }

  static func concerns(_ entry: ChangeRecord, _ identifiers: Set<AssetIdentifier>) -> Bool {
    entry.identifier.map(identifiers.contains) ?? false
  }
}

extension LibraryState {
  /// What a token's list of assets comes down to here; identifiers that are nobody's stay without effect.
  /// - Parameter identifiers: as the app knows them.
  package func narrowing(to identifiers: [AssetIdentifier], for app: AppIdentifier) throws(BrokerError) -> Narrowing {
    let seals = try seals(of: app)
    var named = Set<AssetIdentifier>()
    for identifier in identifiers { named.insert(try seals.open(identifier)) }
    let numbers = named.compactMap { catalogue.position(of: $0).map(catalogue.number) }
    return Narrowing(selection: catalogue.selection(of: numbers), identifiers: named)
  }
}
