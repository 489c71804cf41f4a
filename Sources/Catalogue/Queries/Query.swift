package import PhotoModel

/// Filters that all have to hold, and an order. The default is everything, newest first.
///
/// A grant that withholds locations must not pass `box` or `place` through, because the answer
/// would reveal them. It must set `withholdsPlaces`.
package struct Query: Sendable {
  /// Only these media types; nil: all.
  package var mediaTypes: Set<MediaType>?
  /// At least one of these; empty: no filter.
  package var anySubtypes: MediaSubtypes = []
  /// Every one of these; empty: no filter.
  package var allSubtypes: MediaSubtypes = []
  /// None of these.
  package var withoutSubtypes: MediaSubtypes = []
  package var favourite: Bool?
  package var source: SourceType?
  /// Inclusive.
  package var createdFrom: Timestamp?
  /// Exclusive.
  package var createdBefore: Timestamp?
  /// Added to the library at this time or later.
  package var addedFrom: Timestamp?
  package var box: GeoBox?
  package var place: UInt32?
  /// Contained in the file name, case and accents folded; empty: no filter.
  package var text: String = ""
  /// Exactly this file name, in any Unicode form of its accents.
  package var fileName: String?
  /// Every one of these flags; empty: no filter.
  package var withFlags: AssetFlags = []
  /// None of these flags.
  package var withoutFlags: AssetFlags = []
  /// Only members of all of these: albums, folders.
  package var members: [Selection] = []
  /// Only these assets; unknown ones are left out.
  package var identifiers: [AssetIdentifier]?

  package var sort: SortKey = .creationDate
  /// False: newest, largest, or last name first.
  package var ascending = false
  /// Filters and sorts by `AssetFacts.dateWithoutPlace` in place of the creation date, so that the
  /// answer does not tell a place's time zone (R150).
  package var withholdsPlaces = false

  /// The key that orders the answer, also that of its cursors.
  package var sortKey: SortKey { withholdsPlaces && sort == .creationDate ? dateKey : sort }

  /// The key of the date that `createdFrom` and `createdBefore` bound.
  var dateKey: SortKey { withholdsPlaces ? .creationDateWithoutPlace : .creationDate }

  package init() {}
}
