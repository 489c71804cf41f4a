import BrokerInterface

/// One file that belongs to an asset.
public struct AssetResource: Hashable, Sendable {
  /// The asset that it belongs to.
  public let assetLocalIdentifier: String
  /// The role of the file in its asset.
  public let type: AssetResourceType
  /// The file's name, without its folder.
  public let originalFilename: String
  /// MIME type, determined from the content.
  public let contentType: String
  /// Size in bytes.
  public let size: Int64

  /// The broker's name of the type.
  package let role: String

  init(_ resource: Library.Resource, of asset: Asset) {
    assetLocalIdentifier = asset.localIdentifier
    type = AssetResourceType(role: resource.role, in: asset.mediaType)
    role = resource.role
    originalFilename = resource.filename
    contentType = resource.contentType
    size = resource.size
  }

  /// Fetches the files of an asset, the original first.
  ///
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``.
  public static func assetResources(for asset: Asset, in library: PhotoLibrary) async throws -> [AssetResource] {
    try await library.callWithAccess { wire in
      try wire.call(Library.GetResources.self, .init(asset: asset.localIdentifier)).resources.map {
        AssetResource($0, of: asset)
      }
    }
  }
}
