import BrokerInterface
public import Foundation

/// Pictures and bytes of assets.
public struct ImageManager: Sendable {
  private let library: PhotoLibrary

  /// For the assets of this library.
  public init(library: PhotoLibrary) { self.library = library }

  /// A picture of an asset, made from its pixels: upright, without metadata, JPEG.
  ///
  /// - Parameter maxPixels: its longest edge; moved into 16 to 2,560. Smaller pictures are not enlarged.
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
      // No descriptor came through: in the message itself.
      let reply = try wire.call(Library.GetThumbnail.self, .init(asset: identifier, maxPixels: edge, inline: true))
      guard let data = reply.data.flatMap({ Data(base64Encoded: $0) }) else {
        throw PhotoLibraryError(.badReply, "The broker answered without a picture.")
      }
      return data
    }
  }

  /// The bytes of one file of an asset, as they are in the library.
  ///
  /// - Parameter resource: which one; nil is the current rendition, edited where there is one.
  /// - Throws: ``PhotosError``, `missingResource` where the asset has none of that type; ``PhotoLibraryError``.
  public func requestData(for asset: Asset, resource: AssetResourceType? = nil) async throws -> Data {
    let reader = ResourceReader(asset: asset.localIdentifier, role: try resource?.role(in: asset.mediaType))
    return try await library.callWithAccess { try reader.read(on: $0) }
  }

  /// The same as an open file: an immutable copy, which a later change of the library does not
  /// change. Closed when the handle goes away. At most 1 GiB; the bytes do not go through this
  /// process.
  ///
  /// - Parameter resource: which one; nil is the current rendition, edited where there is one.
  /// - Throws: as ``requestData(for:resource:)``.
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

  /// Some of the bytes, and whether they are the last: for files that are too large for a descriptor.
  ///
  /// - Parameter length: at least 1; more than one call answers are asked for again.
  package func requestPiece(ofAsset identifier: String, role: String?, offset: Int64, length: Int) async throws -> (
    Data, isLast: Bool
  ) {
    let reader = ResourceReader(asset: identifier, role: role)
    return try await library.callWithAccess { try reader.readPiece(at: offset, length: Int64(length), on: $0) }
  }

  /// The same through a pipe, on a connection of its own, for bytes that are many or come from
  /// afar. Cancelling the task ends it.
  ///
  /// - Parameters:
  ///   - resource: which one; nil is the current rendition, edited where there is one.
  ///   - progress: told which part has come, from 0 to 1; called on a thread of its own.
  /// - Throws: ``PhotosError``, also where access ends on the way; ``PhotoLibraryError``;
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
