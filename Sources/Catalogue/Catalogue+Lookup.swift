package import PhotoModel
import Proofs

extension Catalogue {
  /// More assets than this, or a higher number, are refused.
  static let limit: UInt32 = 1 << 28

  package func position(of number: AssetNumber) -> Position? { numbers[number.rawValue].map(Position.init) }

  package func position(of identifier: AssetIdentifier) -> Position? { position(of: identifier, in: .owner) }

  /// The asset, if the view shows it. Absent, deleted and hidden are the same answer after the same work (R40, R105).
  package func position(of identifier: AssetIdentifier, in view: View) -> Position? {
    let (late, early) = (recent[identifier], index.slot(of: identifier, in: columns.identifiers))
    // For an identifier of no asset the view is asked about a slot that holds none.
    let position = Position(late ?? early ?? columns.count)
    let isShown =
      isVisible(position, in: view) || Proof.slowHiddenPhoto.delay(if: attributes.living.contains(position.slot))
    return isShown ? position : nil
  }

  /// Whether the view shows this asset at this moment. Every set of the view is asked, whatever the
  /// others answer (R40).
  package func isVisible(_ position: Position, in view: View) -> Bool {
    let slot = position.slot
    let (isInKind, isSelected) =
      switch view.kind {
      case .owner: (attributes.living.contains(slot), true)
      case .full: (attributes.shareable.contains(slot), true)
      case .limited(let selection): (attributes.limited.contains(slot), contains(slot, selection))
      }
    let isInSubset = view.subset.map { contains(slot, $0) } ?? true
    return isInKind && isSelected && isInSubset
  }

  /// Whether a view of this kind can show an asset at all, its selection aside (R13, R45).
  package func isShareable(_ number: AssetNumber, withLimited isLimited: Bool) -> Bool {
    guard let slot = numbers[number.rawValue] else { return false }
    return (isLimited ? attributes.limited : attributes.shareable).contains(slot)
  }

  /// The identifiers of a page, in its order.
  package func identifiers(_ positions: [Position]) -> [AssetIdentifier] {
    positions.map { columns.identifiers[$0.slot] }
  }

  /// The rows of a page, in its order; faster than one by one.
  package func rows(_ positions: [Position]) -> [AssetRow] { columns.rows(positions.map(\.slot)) }

  /// All rows there are, in no order that means anything; takes a while for a large library.
  package var everyRow: [AssetRow] { columns.rows(attributes.living.members) }

  /// The same without a value for each; what a page is written from.
  package func assets(_ positions: [Position]) -> AssetPage { AssetPage(columns, positions.map(\.slot)) }

  package func row(_ position: Position) -> AssetRow { columns.row(position.slot) }
  package func row(of number: AssetNumber) -> AssetRow? { position(of: number).map(row) }

  package func identifier(_ position: Position) -> AssetIdentifier { columns.identifiers[position.slot] }
  package func number(_ position: Position) -> AssetNumber {
    AssetNumber(UInt32(truncatingIfNeeded: columns[.number, position.slot]))
  }
  package func version(_ position: Position) -> UInt32 { UInt32(truncatingIfNeeded: columns[.version, position.slot]) }

  /// The file name's UTF-8, without a copy; the pointer is good inside `body` only.
  package func withFileName<R>(_ position: Position, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    columns.names.withBytes(position.slot, body)
  }

  private func contains(_ slot: UInt32, _ selection: Selection) -> Bool {
    selection.layout === layout
      ? selection.positions.contains(slot) : positions(of: selection).contains(slot)
  }

  /// What a view consists of, as sets to AND.
  func mask(of view: View) -> BitSieve {
    var sieve = BitSieve()
    switch view.kind {
    case .owner: sieve.require(attributes.living)
    case .full: sieve.require(attributes.shareable)
    case .limited(let selection):
      sieve.require(attributes.limited)
      sieve.require(positions(of: selection))
    }
    if let subset = view.subset { sieve.require(positions(of: subset)) }
    return sieve
  }
}
