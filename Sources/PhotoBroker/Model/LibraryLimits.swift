/// The broker's limits for calls. Named properties cover the limits that an app meets; ``values``
/// has all of them.
///
/// The names depend on the broker's version. A property is nil if this broker does not name its
/// limit.
public struct LibraryLimits: Hashable, Sendable {
  /// Every limit by the broker's name, with or without a property here. The name tells the unit:
  /// bytes, pixels, seconds or a number.
  public let values: [String: Int64]

  init(_ values: [String: Int64]) { self.values = values }

  /// Returns the limit of that name; nil if this broker has none.
  public subscript(name: String) -> Int64? { values[name] }

  /// Maximum number of assets or albums in a page.
  public var pageLimit: Int? { number(.pageLimit) }
  /// Number of assets in a page if the call names no limit.
  public var defaultPageLimit: Int? { number(.defaultPageLimit) }
  /// Maximum number of identifiers in one call.
  public var identifiers: Int? { number(.identifiers) }
  /// Maximum number of steps in one change request.
  public var changes: Int? { number(.changes) }
  /// Maximum length of a search text, in bytes of UTF-8.
  public var textBytes: Int? { number(.textBytes) }
  /// Maximum length of an album's title, in bytes of UTF-8.
  public var titleBytes: Int? { number(.titleBytes) }
  /// Maximum size of one piece of a resource, in bytes.
  public var pieceBytes: Int64? { value(.pieceBytes) }
  /// Maximum size of an added file, in bytes.
  public var addedAssetBytes: Int64? { value(.addedAssetBytes) }
  /// Maximum length of an added file's name, in bytes of UTF-8.
  public var addedNameBytes: Int? { number(.addedNameBytes) }
  /// Maximum number of assets that one change creates.
  public var createdAssets: Int? { number(.createdAssets) }
  /// Maximum size of all assets that one change creates, in bytes.
  public var createdBytes: Int64? { value(.createdBytes) }
  /// Maximum size of all assets that an app's unanswered changes create, in bytes.
  public var createdBytesPerApp: Int64? { value(.createdBytesPerApp) }
  /// Maximum size of all assets that the unanswered changes of a user's apps create in one library,
  /// in bytes.
  public var createdBytesPerUser: Int64? { value(.createdBytesPerUser) }
  /// Maximum number of open uploads of a connection.
  public var uploadsPerConnection: Int? { number(.uploadsPerConnection) }
  /// Maximum size of all uploads of a connection, in bytes.
  public var uploadBytes: Int64? { value(.uploadBytes) }
  /// Maximum size of all uploads of a user's connections, in bytes.
  public var uploadBytesPerUser: Int64? { value(.uploadBytesPerUser) }
  /// Maximum number of albums whose members one change request changes.
  public var changedAlbums: Int? { number(.changedAlbums) }
  /// Maximum total number of assets in the albums whose members one change request changes.
  public var changedAlbumMembers: Int? { number(.changedAlbumMembers) }
  /// Maximum number of assets in an album.
  public var albumAssets: Int? { number(.albumAssets) }
  /// Maximum number of albums that one app creates in a library.
  public var albumsPerApp: Int? { number(.albumsPerApp) }
  /// Maximum total number of assets in the albums that one app creates in a library.
  public var albumMembersPerApp: Int? { number(.albumMembersPerApp) }
  /// Maximum number of changes per hour of albums that the app did not create. Each album in a
  /// request counts once.
  public var albumChangesPerHour: Int? { number(.albumChangesPerHour) }
  /// Maximum number of removals per day from albums that the app did not create: of the album, its
  /// title, its sharing, or members.
  public var albumTakingsPerDay: Int? { number(.albumTakingsPerDay) }
  /// The limit of ``albumTakingsPerDay`` for all apps of a user together.
  public var albumTakingsPerUser: Int? { number(.albumTakingsPerUser) }
  /// Maximum number of distinct asset sets in the attenuated tokens of one grant that are attached
  /// at a time.
  public var narrowingsPerGrant: Int? { number(.narrowingsPerGrant) }
  /// Maximum number of child tokens of one access that have not ended.
  public var childTokens: Int? { number(.childTokens) }
  /// Maximum length of a placeholder in a change, in bytes.
  public var placeholderBytes: Int? { number(.placeholderBytes) }
  /// Range of thumbnail edges, in pixels.
  public var thumbnailPixels: ClosedRange<Int>? {
    guard let from = number(.thumbnailPixelsFrom), let to = number(.thumbnailPixels), from <= to else { return nil }
    return from...to
  }
  /// Maximum number of assets in a page of versions.
  public var versionsLimit: Int? { number(.versionsLimit) }
  /// Maximum size of a resource that is sent as a descriptor, in bytes. Larger ones are read in
  /// pieces or streamed.
  public var openedBytes: Int64? { value(.openedBytes) }
  /// Maximum number of new assets from a picker without a selection limit.
  public var picked: Int? { number(.picked) }
  /// Time during which a picked item can be loaded.
  public var pickLifetime: Duration? { value(.pickLifetimeSeconds).map { .seconds($0) } }
  /// Maximum age of a usable change token.
  public var changeTokenLifetime: Duration? { value(.changeTokenLifetimeSeconds).map { .seconds($0) } }
  /// Maximum number of observers of one app at a time.
  public var subscriptionsPerApp: Int? { number(.subscriptionsPerApp) }
  /// Time after which an unanswered prompt expires.
  public var promptLifetime: Duration? { value(.promptLifetimeSeconds).map { .seconds($0) } }

  /// The broker's names of the limits that have a property.
  enum Name: String, CaseIterable {
    case pageLimit, defaultPageLimit, identifiers, changes, textBytes, titleBytes, pieceBytes
    case addedAssetBytes, addedNameBytes, createdAssets, createdBytes, createdBytesPerApp, createdBytesPerUser,
      placeholderBytes
    case uploadsPerConnection, uploadBytes, uploadBytesPerUser, changedAlbums, changedAlbumMembers
    case albumAssets, albumsPerApp, albumMembersPerApp, albumChangesPerHour, albumTakingsPerDay, albumTakingsPerUser,
      narrowingsPerGrant, childTokens, versionsLimit, openedBytes, picked,
      pickLifetimeSeconds,
      changeTokenLifetimeSeconds
    case thumbnailPixelsFrom, thumbnailPixels, subscriptionsPerApp, promptLifetimeSeconds
  }

  private func value(_ name: Name) -> Int64? { values[name.rawValue] }
  private func number(_ name: Name) -> Int? { value(name).map { Int(clamping: $0) } }
}
