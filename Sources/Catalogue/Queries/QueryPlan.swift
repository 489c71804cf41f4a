import PhotoModel

/// A prepared query: sets to AND, a filter for each row, and a range of dates.
struct QueryPlan {
  var sieve: BitSieve
  var filter = RowFilter()
  /// The assets that the query names, each once; no other can match. Nil if it names none.
  var candidates: [UInt32]?
  /// Microseconds, both ends included; nil: no bound, undated assets too.
  var created: ClosedRange<Int64>?

  /// Nil if nothing can match.
  init?(_ query: Query, in view: View, _ catalogue: Catalogue) {
    sieve = catalogue.mask(of: view)
    let attributes = catalogue.attributes
    if let types = query.mediaTypes {
      if types.count == 1, let type = types.first {
        sieve.require(attributes.type(type))
      } else {
        for type in MediaType.allCases where !types.contains(type) { sieve.exclude(attributes.type(type)) }
      }
    }
    let isAboutSubtypes = query.allSubtypes.rawValue | query.anySubtypes.rawValue | query.withoutSubtypes.rawValue != 0
    for bit in 0..<32 where isAboutSubtypes {
      let subtype = MediaSubtypes(rawValue: 1 << UInt32(bit))
      if query.allSubtypes.contains(subtype) || query.anySubtypes == subtype {
        sieve.require(attributes.subtype(bit: bit))
      }
      if query.withoutSubtypes.contains(subtype) { sieve.exclude(attributes.subtype(bit: bit)) }
    }
    if query.anySubtypes.rawValue.nonzeroBitCount > 1 { filter.anySubtypes = query.anySubtypes }
    switch query.favourite {
    case true?: sieve.require(attributes.flag(.favourite))
    case false?: sieve.exclude(attributes.flag(.favourite))
    case nil: break
    }
    switch query.source {
    case .cloudShared?: sieve.require(attributes.flag(.cloudShared))
    case .userLibrary?: sieve.exclude(attributes.flag(.cloudShared))
    case nil: break
    }
    for bit in 0..<AssetFlags.bits {
      let flag = AssetFlags(rawValue: 1 << UInt8(bit))
      if query.withFlags.contains(flag) { sieve.require(attributes.flag(flag)) }
      if query.withoutFlags.contains(flag) { sieve.exclude(attributes.flag(flag)) }
    }
    for members in query.members { sieve.require(catalogue.positions(of: members)) }
    if let identifiers = query.identifiers {
      // Invisible assets are skipped like unknown ones, and take no longer.
      let named = PositionSet(identifiers.compactMap { catalogue.position(of: $0, in: view)?.slot })
      sieve.require(named)
      candidates = named.members
    }
    if query.box != nil { sieve.require(attributes.located) }
    filter.box = query.box
    filter.place = query.place
    filter.addedFrom = query.addedFrom?.microseconds
    filter.text = NameFold.fold(query.text)
    filter.fileName = query.fileName.map(NameColumn.bytes)
    if query.createdFrom != nil || query.createdBefore != nil {
      // An asset without a date, stored as the least integer, is in no range.
      let from = max(query.createdFrom?.microseconds ?? .min, .min + 1)
      let (to, overflow) = (query.createdBefore?.microseconds ?? .max).subtractingReportingOverflow(
        query.createdBefore == nil ? 0 : 1)
      guard !overflow, from <= to else { return nil }
      created = from...to
      filter.dateKey = catalogue.resolved(query.dateKey)
    }
  }
}
