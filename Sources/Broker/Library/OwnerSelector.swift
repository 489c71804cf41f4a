package import Catalogue
import Limits
package import PhotoModel

/// How an owner chooses assets (R146). What is present narrows together; at least one field must be.
package struct OwnerSelector: Sendable {
  /// The owner's identifiers.
  package var identifiers: [AssetIdentifier]?
  /// Assets whose path matched a pattern; worked out by the caller, since paths are not kept in memory.
  package var paths: Selection?
  package var album: AlbumIdentifier?
  package var createdFrom: Timestamp?
  package var createdBefore: Timestamp?
  package var filename: String?
  package var mediaType: MediaType?
  package var favourite: Bool?
  package var hidden: Bool?
  package var neverShare: Bool?
  /// The last so many by creation date, after all other narrowing.
  package var last: Int?
  package var everything = false

  package init() {}

  var isEmpty: Bool {
    identifiers == nil && paths == nil && album == nil && createdFrom == nil && createdBefore == nil && filename == nil
      && mediaType == nil && favourite == nil && hidden == nil && neverShare == nil && last == nil && !everything
  }
}

/// What assets are chosen for.
package enum SelectorPurpose: Sendable {
  /// They are to join an app's selection: trashed and never-share ones are not offered, and neither
  /// is what others share in a cloud, which no selection takes.
  case giving
  /// A picker is to give them: trashed and never-share ones are not offered.
  case picking
  /// They are to be marked, put into an album of the owner's, or looked at: trashed ones are not offered.
  case marking
  /// They are to leave a selection or an album, in which what was trashed or never to be shared
  /// later still is, and would come back.
  case takingAway

  fileprivate func leavesOut(_ selector: OwnerSelector) -> AssetFlags {
    switch self {
    case .giving: [.trashed, .neverShare, .cloudShared]
    case .picking: [.trashed, .neverShare]
    case .marking: .trashed
    // The last so many are counted among those that a person sees.
    case .takingAway: selector.last == nil ? [] : .trashed
    }
  }
}

extension LibraryState {
  /// What the owner means, as a query in their own view: newest first, `last` at most.
  /// - Throws: `notFound` where a named asset or the album is not in the library; `refused` for an empty selector.
  package func choice(_ selector: OwnerSelector, for purpose: SelectorPurpose = .giving) throws(BrokerError)
    -> OwnerChoice
  {
    guard !selector.isEmpty else {
      throw BrokerError(
        .refused, .selectorEmpty,
        "The selector is empty: give identifiers, a path pattern, an album, dates, a name, a type, marks, last N, or all."
      )
    }
    if let last = selector.last, last < 0 { throw BrokerError(.refused, .lastNegative, "last must be 0 or more.") }
    var query = Query()
    if let identifiers = selector.identifiers {
      guard identifiers.count <= BrokerLimits.selectorIdentifiers else {
        throw BrokerError(
          .refused,
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
    return OwnerChoice(query: query, last: selector.last)
  }
}
