package import PhotoModel
import Proofs

extension Catalogue {
  /// Limit of the number of assets and of the highest asset number.
  static let limit: UInt32 = 1 << 28

  /// Missing assets included, here as in ``row(of:)``.
  package func position(of number: AssetNumber) -> Position? { numbers[number.rawValue].map(Position.init) }

  package func position(of identifier: AssetIdentifier) -> Position? { position(of: identifier, in: .owner) }

  /// The asset's position, if the view shows it. Missing, deleted and hidden assets give the same
  /// answer after the same work (R40, R105).
  package func position(of identifier: AssetIdentifier, in view: View) -> Position? {
    let (late, early) = (recent[identifier], index.slot(of: identifier, in: columns.identifiers))
    // An unknown identifier is tested with a slot without an asset.
    let position = Position(late ?? early ?? columns.count)
    let isShown =
      isVisible(position, in: view) || Proof.slowHiddenPhoto.delay(if: attributes.living.contains(position.slot))
    return isShown ? position : nil
  }

  /// Whether the view shows this asset now. All sets of the view are tested in any case (R40).
  package func isVisible(_ position: Position, in view: View) -> Bool {
    let slot = position.slot
    let (isInKind, isSelected) =
      switch view.kind {
      case .everything: (attributes.living.contains(slot), true)
      case .owner: (attributes.present.contains(slot), true)
      case .full: (attributes.shareable.contains(slot), true)
      case .limited(let selection): (attributes.limited.contains(slot), contains(slot, selection))
      }
    let isInSubset = view.subset.map { contains(slot, $0) } ?? true
    return isInKind && isSelected && isInSubset
  }

  /// Whether a view of this kind can show an asset, apart from its selection (R13, R45).
  package func isShareable(_ number: AssetNumber, withLimited isLimited: Bool) -> Bool {
    guard let slot = numbers[number.rawValue] else { return false }
    return (isLimited ? attributes.limited : attributes.shareable).contains(slot)
  }

  /// The rows of a page, in its order; faster than one by one.
  package func rows(_ positions: [Position]) -> [AssetRow] { columns.rows(positions.map(\.slot)) }

  /// The fields of a page, in its order, without a row for each asset.
  package func assets(_ positions: [Position]) -> AssetPage { AssetPage(columns, positions.map(\.slot)) }

  package func row(_ position: Position) -> AssetRow { columns.row(position.slot) }
  package func row(of number: AssetNumber) -> AssetRow? { position(of: number).map(row) }

  package func identifier(_ position: Position) -> AssetIdentifier { columns.identifiers[position.slot] }
  package func number(_ position: Position) -> AssetNumber {
    AssetNumber(UInt32(truncatingIfNeeded: columns[.number, position.slot]))
  }
  package func version(_ position: Position) -> UInt32 { UInt32(truncatingIfNeeded: columns[.version, position.slot]) }

  private func contains(_ slot: UInt32, _ selection: Selection) -> Bool {
    selection.layout === layout
      ? selection.positions.contains(slot) : positions(of: selection).contains(slot)
  }

  /// The sets whose AND is the view.
  func mask(of view: View) -> BitSieve {
    var sieve = BitSieve()
    switch view.kind {
    case .everything: sieve.require(attributes.living)
    case .owner: sieve.require(attributes.present)
    case .full: sieve.require(attributes.shareable)
    case .limited(let selection):
      sieve.require(attributes.limited)
      sieve.require(positions(of: selection))
    }
    if let subset = view.subset { sieve.require(positions(of: subset)) }
    return sieve
  }
}
