public import Foundation

/// A photo or a video that a change creates. PhotoKit's `PHAssetCreationRequest`, with one resource.
///
///     let made = try await library.performChanges { changes in
///       var photo = try AssetCreationRequest(fileURL: picture)
///       photo.isFavorite = true
///       changes.add(photo)
///       var album = AssetCollectionChangeRequest.creationRequestForAssetCollection(withTitle: "Lake")
///       album.addAssets([photo.placeholderForCreatedAsset])
///       changes.add(album)
///     }
public struct AssetCreationRequest: Sendable {
  /// Stands for the asset in the request that creates it, for instance in an album.
  public let placeholderForCreatedAsset = ObjectPlaceholder()
  /// Whether it is a favourite; nil: as its file says.
  public var isFavorite: Bool?
  /// When it was taken; nil: as its file says.
  public var creationDate: Date?
  /// Where it was taken; nil: as its file says.
  public var location: Location?
  /// Its text, at most 1,024 bytes; nil: as its file says.
  public var caption: String?

  let filename: String
  let bytes: AssetBytes

  /// From bytes in memory.
  ///
  /// - Parameters:
  ///   - filename: without a folder; at most 200 bytes, no control characters, and no dot at its beginning.
  ///   - contents: the whole file. A large one is better handed over as a file: see ``init(filename:fileURL:)``.
  public init(filename: String, contents: Data) {
    self.filename = filename
    bytes = .data(contents)
  }

  /// From a file. The broker gets it open and copies it: the bytes do not go through this process,
  /// unless it takes no descriptor.
  ///
  /// - Parameters:
  ///   - filename: as for ``init(filename:contents:)``; nil is the file's own name.
  ///   - fileURL: a regular file, of at most 1 GiB, that this process may read. A symbolic link is
  ///     followed.
  /// - Throws: ``PhotoLibraryError`` `bytesUnavailable` where the file cannot be opened, with the
  ///   system's reason as its cause, or is no regular one.
  public init(filename: String? = nil, fileURL: URL) throws {
    bytes = .file(try AssetFile(opening: fileURL))
    self.filename = filename ?? fileURL.lastPathComponent
  }

  /// From an open file.
  ///
  /// - Parameters:
  ///   - filename: as for ``init(filename:contents:)``.
  ///   - file: open for reading, and the caller's to close, at any time after this. A regular or a
  ///     memory file is taken from its beginning; a pipe is read to its end, and must bring
  ///     something every 4 seconds.
  /// - Throws: ``PhotoLibraryError`` `bytesUnavailable` where it is closed.
  public init(filename: String, file: FileHandle) throws {
    bytes = .file(try AssetFile(duplicating: file))
    self.filename = filename
  }
}
