import BrokerInterface
public import Foundation

/// Access to pictures and bytes of assets.
public struct ImageManager: Sendable {
  private let library: PhotoLibrary

  /// Creates a manager for the assets of `library`.
  public init(library: PhotoLibrary) { self.library = library }

  /// Renders a picture of an asset from its pixels: an upright JPEG without metadata.
  ///
  /// - Parameter maxPixels: the longest edge, clamped to 16...2,560, and to
  ///   ``AccessDescription/picturePixels``. Smaller pictures are not enlarged.
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``.
  public func requestImageData(for asset: Asset, maxPixels: Int) async throws -> Data {
    let identifier = asset.localIdentifier
    let edge = Int64(min(max(maxPixels, 16), 2_560))
    return try await library.callWithAccess { wire in
      let data = try wire.call(Library.GetThumbnail.self, .init(asset: identifier, maxPixels: edge)) {
        reply, descriptors in
        try descriptors.number(at: reply.descriptor).map { try DescriptorBytes.read($0, size: reply.size) }
      }
      if let data { return data }
      // No descriptor arrived, so the picture is requested inside the message.
      let reply = try wire.call(Library.GetThumbnail.self, .init(asset: identifier, maxPixels: edge, inline: true))
      guard let data = reply.data.flatMap({ Data(base64Encoded: $0) }) else {
        throw PhotoLibraryError(.badReply, "The broker answered without a picture.")
      }
      return data
    }
  }

  /// Reads one file of an asset, unchanged.
  ///
  /// - Parameter resource: the file; nil means the current one, edited if there is an edited one.
  /// - Throws: ``PhotosError``, with `missingResource` if the asset has no such file;
  ///   ``PhotoLibraryError``.
  public func requestData(for asset: Asset, resource: AssetResourceType? = nil) async throws -> Data {
    let reader = ResourceReader(asset: asset.localIdentifier, role: try resource?.role(in: asset.mediaType))
    return try await library.callWithAccess { try reader.read(on: $0) }
  }

  /// Opens one file of an asset as an immutable copy, which later changes of the library do not
  /// affect. The handle closes its descriptor when it goes away. At most 1 GiB; the bytes do not
  /// pass through this process.
  ///
  /// - Parameter resource: the file; nil means the current one, edited if there is an edited one.
  /// - Throws: the errors of ``requestData(for:resource:)``.
  public func requestFile(for asset: Asset, resource: AssetResourceType? = nil) async throws -> FileHandle {
    try await requestFile(ofAsset: asset.localIdentifier, role: try resource?.role(in: asset.mediaType))
  }

  package func requestFile(ofAsset identifier: String, role: String?) async throws -> FileHandle {
    try await library.callWithAccess { wire in
      let parameters = Library.OpenResource.Parameters(asset: identifier, role: role)
      return try wire.call(Library.OpenResource.self, parameters) { reply, descriptors in
        guard let number = descriptors.number(at: reply.descriptor), case let own = fcntl(number, F_DUPFD_CLOEXEC, 0),
          own >= 0
        else {
          throw PhotoLibraryError(.bytesUnavailable, "No file came with the broker's answer; request the data instead.")
        }
        return FileHandle(fileDescriptor: own, closeOnDealloc: true)
      }
    }
  }

  /// Reads some of the bytes, and tells whether they are the last: for files that are too large for
  /// a descriptor.
  ///
  /// - Parameter length: at least 1. The broker may return fewer bytes.
  package func requestPiece(ofAsset identifier: String, role: String?, offset: Int64, length: Int) async throws -> (
    Data, isLast: Bool
  ) {
    let reader = ResourceReader(asset: identifier, role: role)
    return try await library.callWithAccess { try reader.readPiece(at: offset, length: Int64(length), on: $0) }
  }

  /// Reads one file of an asset through a pipe on a connection of its own, for large files and for
  /// storages that must download them. Cancelling the task ends it.
  ///
  /// - Parameters:
  ///   - resource: the file; nil means the current one, edited if there is an edited one.
  ///   - progress: called with the loaded fraction, from 0 to 1, on a private thread.
  /// - Throws: ``PhotosError``, also if access ends during the transfer; ``PhotoLibraryError``;
  ///   `CancellationError`.
  public func requestData(
    for asset: Asset, resource: AssetResourceType? = nil, progress: @escaping @Sendable (Double) -> Void
  ) async throws -> Data {
    let reader = StreamReader(asset: asset.localIdentifier, role: try resource?.role(in: asset.mediaType))
    return try await library.withAccess(for: .readWrite) {
      try await library.makeLine(for: .readWrite).performUntilCancelled { try reader.read(on: $0, progress: progress) }
    }
  }
}
