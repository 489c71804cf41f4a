package import Catalogue
package import PhotoModel

/// The conditions of a live selection, which assets join and leave by themselves (R154). All
/// conditions that are set apply together; at least one is set.
package struct LiveSelection: Sendable, Equatable {
  /// An album of the library. A deleted album has no members, so nothing fits.
  package var album: AlbumIdentifier?
  /// A folder below the library's folder, without slashes at its ends.
  package var folder: String?
  package var createdFrom: Timestamp?
  package var createdBefore: Timestamp?
  package var mediaType: MediaType?
  /// Whether only favourites fit.
  package var favourites: Bool
  /// Assets that people took out by hand, in ascending order.
  package private(set) var excluded: [AssetNumber]

  package init(
    album: AlbumIdentifier? = nil, folder: String? = nil, createdFrom: Timestamp? = nil,
    createdBefore: Timestamp? = nil, mediaType: MediaType? = nil, favourites: Bool = false,
    excluded: [AssetNumber] = []
  ) {
    self.album = album
    self.folder = folder
    self.createdFrom = createdFrom
    self.createdBefore = createdBefore
    self.mediaType = mediaType
    self.favourites = favourites
    self.excluded = excluded
  }

  mutating func exclude(_ numbers: [AssetNumber]) { excluded = Set(excluded).union(numbers).sorted() }
  mutating func include(_ numbers: [AssetNumber]) { excluded = Set(excluded).subtracting(numbers).sorted() }

  /// Whether both have the same conditions, whatever they exclude; also if there are none.
  static func agree(_ a: Self?, _ b: Self?) -> Bool {
    var b = b
    b?.excluded = a?.excluded ?? []
    return a == b
  }

  /// Whether assets may fit that did not fit under these earlier conditions.
  func mayHoldMore(since before: Self?) -> Bool {
    !Self.agree(self, before) || !Set(excluded).isSuperset(of: before?.excluded ?? [])
  }

  /// Whether an asset meets all conditions but the folder.
  func isMet(by row: AssetRow, isMember: Bool) -> Bool {
    guard album == nil || isMember, mediaType == nil || row.mediaType == mediaType,
      !favourites || row.flags.contains(.favourite)
    else { return false }
    guard createdFrom != nil || createdBefore != nil else { return true }
    guard let date = row.creationDate else { return false }
    return createdFrom.map { $0 <= date } ?? true && createdBefore.map { date < $0 } ?? true
  }

  /// Whether a path lies in the folder.
  func holds(_ path: String) -> Bool { folder.map { path.hasPrefix($0 + "/") } ?? true }
}
