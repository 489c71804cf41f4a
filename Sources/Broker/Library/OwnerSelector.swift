package import Catalogue
import Limits
package import PhotoModel

/// Criteria by which an owner chooses assets (R146). All criteria that are set apply together; at
/// least one must be set.
package struct OwnerSelector: Sendable {
  /// The owner's identifiers.
  package var identifiers: [AssetIdentifier]?
  /// Assets whose paths match a pattern. The caller computes it, because paths are not in memory.
  package var paths: Selection?
  package var album: AlbumIdentifier?
  package var createdFrom: Timestamp?
  package var createdBefore: Timestamp?
  package var filename: String?
  package var mediaType: MediaType?
  package var favourite: Bool?
  package var hidden: Bool?
  package var neverShare: Bool?
  /// The latest assets by creation date, of those that match the other criteria.
  package var last: Int?
  package var everything = false

  package init() {}

  var isEmpty: Bool {
    identifiers == nil && paths == nil && album == nil && createdFrom == nil && createdBefore == nil && filename == nil
      && mediaType == nil && favourite == nil && hidden == nil && neverShare == nil && last == nil && !everything
  }
}

/// The use of a choice, which decides the assets that it excludes.
package enum SelectorPurpose: Sendable {
  /// To join an app's selection. Excludes trashed, never-shared and cloud-shared assets.
  case giving
  /// To be given by a picker. Excludes trashed and never-shared assets.
  case picking
  /// To be marked, added to an owner's album or listed. Excludes trashed assets.
  case marking
  /// To leave a selection or an album. Includes assets that are trashed, missing or never-shared
  /// by now, because they would otherwise come back. `last` counts among its members; nil: among
  /// all assets.
  case takingAway(from: Selection?)

  fileprivate func leavesOut(_ selector: OwnerSelector) -> AssetFlags {
    switch self {
    case .giving: [.trashed, .neverShare, .cloudShared]
    case .picking: [.trashed, .neverShare]
    case .marking: .trashed
    // The latest are counted among the assets that a person sees.
    case .takingAway: selector.last == nil ? [] : .trashed
    }
  }
}

extension LibraryState {
  /// The owner's choice as a query in their own view: newest first, at most `last`.
  /// - Throws: `notFound` for a named asset or album that is not in the library; `refused` for an
  ///   empty selector.
  package func choice(_ selector: OwnerSelector, for purpose: SelectorPurpose = .giving) throws(BrokerError)
    -> OwnerChoice
  {
    guard !selector.isEmpty else {
      throw .refused(
        .selectorEmpty,
        "The selector is empty: give identifiers, a path pattern, an album, dates, a name, a type, marks, last N, or "
          + "all.")
    }
    if let last = selector.last, last < 0 { throw .refused(.lastNegative, "last must be 0 or more.") }
    var query = Query()
    if let identifiers = selector.identifiers {
      guard identifiers.count <= BrokerLimits.selectorIdentifiers else {
        throw .refused(
          "At most \(BrokerLimits.selectorIdentifiers) identifiers in one selector; use several calls or a filter.")
      }
      let catalogue = catalogue
      for identifier in identifiers where catalogue.position(of: identifier) == nil {
        throw .notFound("asset", "No asset \(identifier) in this library; list its assets to see their identifiers.")
      }
      query.identifiers = identifiers
    }
    query.createdFrom = selector.createdFrom
    query.createdBefore = selector.createdBefore
    query.mediaTypes = selector.mediaType.map { [$0] }
    query.favourite = selector.favourite
    query.fileName = selector.filename
    query.withoutFlags = purpose.leavesOut(selector)
    for (flag, wanted) in [(AssetFlags.hidden, selector.hidden), (.neverShare, selector.neverShare)] {
      switch wanted {
      case true?: query.withFlags.insert(flag)
      case false?: query.withoutFlags.insert(flag)
      case nil: break
      }
    }
    if let paths = selector.paths { query.members = [paths] }
    if let album = selector.album {
      guard let album = albums[album] else {
        throw .notFound("album", "No such album in this library; list its albums.")
      }
      query.members.append(catalogue.selection(of: album.members))
    }
    var includesMissing = false
    if case .takingAway(let members) = purpose {
      includesMissing = selector.last == nil
      if let members, selector.last != nil { query.members.append(members) }
    }
    return OwnerChoice(query: query, last: selector.last, view: includesMissing ? .everything : .owner)
  }
}
