import PhotoModel

extension Catalogue {
  /// Adds an asset. No selection holds it then. The cost does not depend on the number of selections.
  /// - Throws: `duplicateNumber`, `duplicateIdentifier`, `limitExceeded`.
  package mutating func insert(_ row: AssetRow) throws(CatalogueError) {
    let slot = columns.count
    guard slot < Self.limit, row.number.rawValue < Self.limit else { throw .limitExceeded() }
    guard numbers[row.number.rawValue] == nil else { throw .duplicateNumber() }
    guard position(of: row.identifier, in: .everything) == nil else { throw .duplicateIdentifier() }
    columns.append(row)
    numbers.set(row.number.rawValue, to: slot)
    recent[row.identifier] = slot
    attributes.change(slot, from: nil, to: Traits(row))
    order.attach(slot, columns)
    for key in prepared.keys { prepared[key]?.attach(slot, columns) }
    journal.record(row.number)
  }

  /// Overwrites the fields of the asset with the row's number. The identifier and the selections
  /// stay; a changed date moves the asset in the order.
  /// - Throws: `unknownNumber`.
  package mutating func update(_ row: AssetRow) throws(CatalogueError) {
    guard let slot = numbers[row.number.rawValue] else { throw .unknownNumber() }
    let before = columns.traits(slot)
    let movesInOrder = row.sortValue(.creationDate) != columns.sortValue(.creationDate, slot)
    let moves = prepared.keys.filter { row.sortValue($0) != columns.sortValue($0, slot) }
    if movesInOrder { order.detach(slot, columns) }
    for key in moves { prepared[key]?.detach(slot, columns) }
    columns.set(slot, to: row)
    if movesInOrder { order.attach(slot, columns) }
    for key in moves { prepared[key]?.attach(slot, columns) }
    attributes.change(slot, from: before, to: Traits(row))
    journal.record(row.number)
  }

  /// Removes an asset. Its number goes to no other one, and selections lose it without being
  /// changed.
  /// - Returns: Its last row; nil if no asset has the number.
  @discardableResult
  package mutating func remove(_ number: AssetNumber) -> AssetRow? {
    guard let slot = numbers[number.rawValue] else { return nil }
    let row = columns.row(slot)
    numbers.remove(number.rawValue)
    recent[row.identifier] = nil
    attributes.change(slot, from: Traits(row), to: nil)
    order.detach(slot, columns)
    for key in prepared.keys { prepared[key]?.detach(slot, columns) }
    journal.record(number)
    return row
  }
}
