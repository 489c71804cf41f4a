import Catalogue
import PhotoModel

/// The reference for the real catalogue: an array that is filtered and sorted.
struct Model {
  var rows: [AssetNumber: AssetRow] = [:]

  enum Access {
    case everything, owner, full
    case limited(Set<AssetNumber>)
  }

  func answer(
    _ query: Query, access: Access, subset: Set<AssetNumber>? = nil, members: [Set<AssetNumber>] = []
  ) -> [AssetRow] {
    let matching = rows.values.filter { row in
      isShown(row, access) && (subset?.contains(row.number) ?? true) && members.allSatisfy { $0.contains(row.number) }
        && matches(row, query)
    }
    return matching.sorted { a, b in
      let (x, y) = (key(a, query.sortKey), key(b, query.sortKey))
      if x == y { return query.ascending ? a.identifier < b.identifier : b.identifier < a.identifier }
      return query.ascending ? x.lexicographicallyPrecedes(y) : y.lexicographicallyPrecedes(x)
    }
  }

  private func isShown(_ row: AssetRow, _ access: Access) -> Bool {
    let isKept = !row.flags.isDisjoint(with: [.hidden, .neverShare, .trashed, .missing])
    switch access {
    case .everything: return true
    case .owner: return !row.flags.contains(.missing)
    case .full: return !isKept
    case .limited(let selected): return !isKept && !row.flags.contains(.cloudShared) && selected.contains(row.number)
    }
  }

  private func matches(_ row: AssetRow, _ query: Query) -> Bool {
    if let types = query.mediaTypes, !types.contains(row.mediaType) { return false }
    if !query.anySubtypes.isEmpty, row.subtypes.isDisjoint(with: query.anySubtypes) { return false }
    if !row.subtypes.isSuperset(of: query.allSubtypes) { return false }
    if !row.subtypes.isDisjoint(with: query.withoutSubtypes) { return false }
    if let favourite = query.favourite, row.flags.contains(.favourite) != favourite { return false }
    if let source = query.source, row.sourceType != source { return false }
    let date = query.withholdsPlaces ? dateWithoutPlace(row) : row.creationDate
    if let from = query.createdFrom, !(date.map { $0 >= from } ?? false) { return false }
    if let before = query.createdBefore, !(date.map { $0 < before } ?? false) { return false }
    if let from = query.addedFrom, row.addedDate < from { return false }
    if let box = query.box, !(row.location.map(box.contains) ?? false) { return false }
    if let place = query.place, row.place != place { return false }
    if let identifiers = query.identifiers, !identifiers.contains(row.identifier) { return false }
    if let name = query.fileName, name != row.fileName { return false }
    if !row.flags.isSuperset(of: query.withFlags) { return false }
    if !row.flags.isDisjoint(with: query.withoutFlags) { return false }
    return query.text.isEmpty || Self.folded(row.fileName).contains(Self.folded(query.text))
  }

  /// By table, for the few names that the tests use.
  static func folded(_ name: String) -> String {
    let plain: [Character: String] = ["é": "e", "à": "a", "ü": "u", "ß": "ss"]
    return name.lowercased().map { plain[$0] ?? String($0) }.joined()
  }

  private func key(_ row: AssetRow, _ sort: SortKey) -> [Int64] {
    switch sort {
    case .creationDate: [row.creationDate?.microseconds ?? .min]
    case .modificationDate: [row.modificationDate.microseconds]
    case .addedDate: [row.addedDate.microseconds]
    case .fileName: Self.folded(row.fileName).utf8.map(Int64.init)
    case .duration: [Int64(row.durationMilliseconds)]
    case .pixels: [Int64(row.width) * Int64(row.height)]
    case .creationDateWithoutPlace: [dateWithoutPlace(row)?.microseconds ?? .min]
    }
  }

  private func dateWithoutPlace(_ row: AssetRow) -> Timestamp? {
    row.creationDate?.advanced(by: .seconds(Int64(row.placeShiftMinutes) * 60))
  }
}
