import BrokerInterface

/// One file that belongs to an asset.
public struct AssetResource: Hashable, Sendable {
  /// What the file is to the asset: an open set of words.
  public struct Role: RawRepresentable, Hashable, Sendable {
    /// The broker's word.
    public let rawValue: String

    /// Any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The photo or video as it came.
    public static let original = Role(rawValue: "original")
    /// The edited rendition.
    public static let edited = Role(rawValue: "edited")
    /// A sensor's data.
    public static let raw = Role(rawValue: "raw")
    /// The video of a Live Photo.
    public static let pairedVideo = Role(rawValue: "pairedVideo")
    /// Metadata in a file of its own.
    public static let sidecar = Role(rawValue: "sidecar")
  }

  /// The asset that it belongs to.
  public let assetLocalIdentifier: String
  /// What it is to the asset.
  public let role: Role
  /// The file's name, without its folder.
  public let originalFilename: String
  /// MIME type, by content.
  public let contentType: String
  /// Size in bytes.
  public let size: Int64

  init(_ resource: Library.Resource, of asset: String) {
    assetLocalIdentifier = asset
    role = Role(rawValue: resource.role)
    originalFilename = resource.filename
    contentType = resource.contentType
    size = resource.size
  }

  /// The files of an asset, the original first.
  ///
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``.
  public static func assetResources(for asset: Asset, in library: PhotoLibrary) async throws -> [AssetResource] {
    let identifier = asset.localIdentifier
    return try await library.callWithAccess { wire in
      try wire.call(Library.GetResources.self, .init(asset: identifier)).resources.map { AssetResource($0, of: identifier) }
    }
  }
}
