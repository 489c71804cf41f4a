/// Sort key of a query. Equal values are ordered by identifier, so every order is total and does
/// not reveal age.
package enum SortKey: UInt8, Sendable, Hashable, CaseIterable {
  /// Assets without a date count as the oldest.
  case creationDate
  case modificationDate
  case addedDate
  /// Case and accents folded.
  case fileName
  case duration
  /// Width times height.
  case pixels
  /// `AssetFacts.dateWithoutPlace`; see `Query.withholdsPlaces`.
  case creationDateWithoutPlace
}
