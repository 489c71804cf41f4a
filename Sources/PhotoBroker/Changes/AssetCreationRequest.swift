public import Foundation

/// A photo or a video that a change creates. PhotoKit's `PHAssetCreationRequest`, with one
/// resource.
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
  /// Placeholder of the asset, for other steps of the same change.
  public let placeholderForCreatedAsset = ObjectPlaceholder()
  /// Whether it is a favourite; nil takes the mark from the file.
  public var isFavorite: Bool?
  /// Time of capture; nil takes it from the file.
  public var creationDate: Date?
  /// Place of capture; nil takes it from the file.
  public var location: Location?
  /// The caption, at most 1,024 bytes; nil takes it from the file.
  public var caption: String?

  let filename: String
  let bytes: AssetBytes

  /// Creates a request from bytes in memory.
  ///
  /// - Parameters:
  ///   - filename: without a folder; at most 200 bytes, no control characters, no leading dot.
  ///   - contents: the whole file. Large files are better passed as a file: see
  ///     ``init(filename:fileURL:)``.
  public init(filename: String, contents: Data) {
    self.filename = filename
    bytes = .data(contents)
  }

  /// Creates a request from a file. The broker copies the open file, so that the bytes do not pass
  /// through this process unless the broker takes no descriptor.
  ///
  /// - Parameters:
  ///   - filename: as for ``init(filename:contents:)``; nil is the file's own name.
  ///   - fileURL: a regular file of at most 1 GiB that this process may read. A symbolic link is
  ///     followed.
  /// - Throws: ``PhotoLibraryError`` `bytesUnavailable` if the file is not regular or cannot be
  ///   opened; the cause is the system's error.
  public init(filename: String? = nil, fileURL: URL) throws {
    bytes = .file(try AssetFile(opening: fileURL))
    self.filename = filename ?? fileURL.lastPathComponent
  }

  /// Creates a request from an open file.
  ///
  /// - Parameters:
  ///   - filename: as for ``init(filename:contents:)``.
  ///   - file: open for reading. It stays the caller's, who may close it at any time afterwards. A
  ///     regular file or memory file is read from its beginning, and a pipe to its end. A pipe that
  ///     delivers nothing for 4 seconds times out.
  /// - Throws: ``PhotoLibraryError`` `bytesUnavailable` if it is closed.
  public init(filename: String, file: FileHandle) throws {
    bytes = .file(try AssetFile(duplicating: file))
    self.filename = filename
  }
}
