package import PhotoModel

/// Filters that all have to hold, and an order. The default is everything, newest first.
///
/// A grant that withholds locations must not pass `box` or `place` through, because the answer
/// would reveal them.
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

  package init() {}
}
