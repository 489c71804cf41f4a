/// The limits that a broker holds calls to: those an app meets by name, and all of them as the broker lists them.
///
/// Names may come and go with the broker's version; an accessor is nil where this broker does not name its limit.
public struct LibraryLimits: Hashable, Sendable {
  /// Every limit by the broker's name, also what has no accessor here: bytes, pixels, seconds or a
  /// number, as the name says.
  public let values: [String: Int64]

  init(_ values: [String: Int64]) { self.values = values }

  /// The limit of that name; nil where this broker has none.
  public subscript(name: String) -> Int64? { values[name] }

  /// How many assets or albums a page holds at most.
  public var pageLimit: Int? { number(.pageLimit) }
  /// How many assets a page holds where nothing else is asked for.
  public var defaultPageLimit: Int? { number(.defaultPageLimit) }
  /// How many identifiers one call names at most.
  public var identifiers: Int? { number(.identifiers) }
  /// How many steps one change request has at most.
  public var changes: Int? { number(.changes) }
  /// The longest text to search for, in bytes of UTF-8.
  public var textBytes: Int? { number(.textBytes) }
  /// The longest title of an album, in bytes of UTF-8.
  public var titleBytes: Int? { number(.titleBytes) }
  /// The largest piece of a resource that is read in one call, in bytes.
  public var pieceBytes: Int64? { value(.pieceBytes) }
  /// The largest file that is added, in bytes.
  public var addedAssetBytes: Int64? { value(.addedAssetBytes) }
  /// The longest name of an added file, in bytes of UTF-8.
  public var addedNameBytes: Int? { number(.addedNameBytes) }
  /// How many assets one change creates.
  public var createdAssets: Int? { number(.createdAssets) }
  /// How large the assets that one change creates are together, in bytes.
  public var createdBytes: Int64? { value(.createdBytes) }
  /// How large what an app's changes create may be at a time, until they are answered, in bytes.
  public var createdBytesPerApp: Int64? { value(.createdBytesPerApp) }
  /// The same of all apps of a user together, in one library, in bytes.
  public var createdBytesPerUser: Int64? { value(.createdBytesPerUser) }
  /// How many uploads a connection has at a time.
  public var uploadsPerConnection: Int? { number(.uploadsPerConnection) }
  /// How large the uploads of a connection are together, in bytes.
  public var uploadBytes: Int64? { value(.uploadBytes) }
  /// The same of all connections of a user, in bytes.
  public var uploadBytesPerUser: Int64? { value(.uploadBytesPerUser) }
  /// Of how many albums one change request changes the members at most.
  public var changedAlbums: Int? { number(.changedAlbums) }
  /// How many assets these hold together at most.
  public var changedAlbumMembers: Int? { number(.changedAlbumMembers) }
  /// How many assets an album holds at most.
  public var albumAssets: Int? { number(.albumAssets) }
  /// How many albums one app makes in a library at most.
  public var albumsPerApp: Int? { number(.albumsPerApp) }
  /// How many members these have together at most.
  public var albumMembersPerApp: Int? { number(.albumMembersPerApp) }
  /// How often in an hour an app may change albums that it did not make; each album of one request counts once.
  public var albumChangesPerHour: Int? { number(.albumChangesPerHour) }
  /// The same in a day, where such a change takes something away: the album, its title, how it is shared, or members.
  public var albumTakingsPerDay: Int? { number(.albumTakingsPerDay) }
  /// The same, of all apps of the app's user.
  public var albumTakingsPerUser: Int? { number(.albumTakingsPerUser) }
  /// To how many different sets of assets tokens may be narrowed that are attached at a time, of one grant.
  public var narrowingsPerGrant: Int? { number(.narrowingsPerGrant) }
  /// The longest placeholder of a change, in bytes.
  public var placeholderBytes: Int? { number(.placeholderBytes) }
  /// The edges of thumbnails that can be asked for, in pixels.
  public var thumbnailPixels: ClosedRange<Int>? {
    guard let from = number(.thumbnailPixelsFrom), let to = number(.thumbnailPixels), from <= to else { return nil }
    return from...to
  }
  /// How many assets a page of versions holds at most.
  public var versionsLimit: Int? { number(.versionsLimit) }
  /// The largest resource that is handed over as a descriptor, in bytes; a larger one is read in pieces or streamed.
  public var openedBytes: Int64? { value(.openedBytes) }
  /// How many new assets a picker for any number gives at most.
  public var picked: Int? { number(.picked) }
  /// How long what was picked can be loaded.
  public var pickLifetime: Duration? { value(.pickLifetimeSeconds).map { .seconds($0) } }
  /// How long a change token is of use at most.
  public var changeTokenLifetime: Duration? { value(.changeTokenLifetimeSeconds).map { .seconds($0) } }
  /// How many observers one app has at a time.
  public var subscriptionsPerApp: Int? { number(.subscriptionsPerApp) }
  /// How long a question stays open.
  public var promptLifetime: Duration? { value(.promptLifetimeSeconds).map { .seconds($0) } }

  /// What the broker calls those that have an accessor.
  enum Name: String, CaseIterable {
    case pageLimit, defaultPageLimit, identifiers, changes, textBytes, titleBytes, pieceBytes
    case addedAssetBytes, addedNameBytes, createdAssets, createdBytes, createdBytesPerApp, createdBytesPerUser,
      placeholderBytes
    case uploadsPerConnection, uploadBytes, uploadBytesPerUser, changedAlbums, changedAlbumMembers
    case albumAssets, albumsPerApp, albumMembersPerApp, albumChangesPerHour, albumTakingsPerDay, albumTakingsPerUser,
      narrowingsPerGrant, versionsLimit, openedBytes, picked,
      pickLifetimeSeconds,
      changeTokenLifetimeSeconds
    case thumbnailPixelsFrom, thumbnailPixels, subscriptionsPerApp, promptLifetimeSeconds
  }

  private func value(_ name: Name) -> Int64? { values[name.rawValue] }
  private func number(_ name: Name) -> Int? { value(name).map { Int(clamping: $0) } }
}
