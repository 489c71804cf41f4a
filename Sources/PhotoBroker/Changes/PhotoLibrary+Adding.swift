public import Foundation

extension PhotoLibrary {
  /// Adds a photo or a video.
  ///
  /// - Parameters:
  ///   - filename: without a folder; at most 200 bytes, no control characters, no leading dot.
  ///   - contents: the whole file. Large files are better passed as a file: see
  ///     ``addAsset(filename:fileURL:)``.
  /// - Returns: the new asset's identifier. An app with `addOnly` access cannot fetch it.
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``. After `connectionLost` the asset may have
  ///   been added.
  public func addAsset(filename: String, contents: Data) async throws -> String {
    try await callWithAccess(level: .addOnly, isRepeatable: false) { wire in
      try AssetUpload(filename: filename, bytes: .data(contents)).send(on: wire)
    }
  }

  /// Checks a call of ``addAsset(filename:contents:)``, including its bytes, and adds nothing. The
  /// check does not cover free space.
  ///
  /// - Throws: the errors of adding: ``PhotosError``, ``PhotoLibraryError``.
  public func checkAsset(filename: String, contents: Data) async throws {
    _ = try await callWithAccess(level: .addOnly) { wire in
      try AssetUpload(filename: filename, bytes: .data(contents), isDryRun: true).send(on: wire)
    }
  }

  /// Adds a photo or a video from a file. The broker copies the open file, so that the bytes do not
  /// pass through this process unless the broker takes no descriptor.
  ///
  /// It uses a connection of its own, so that a large file delays no other call. Cancelling the
  /// task ends it.
  /// - Parameters:
  ///   - filename: as for ``addAsset(filename:contents:)``; nil is the file's own name.
  ///   - fileURL: a regular file of at most 1 GiB that this process may read. A symbolic link is
  ///     followed.
  /// - Returns: the new asset's identifier. An app with `addOnly` access cannot fetch it.
  /// - Throws: ``PhotosError``; ``PhotoLibraryError``, with `bytesUnavailable` if the file is not
  ///   regular or cannot be opened, and the system's error as its cause. After `connectionLost` and
  ///   `CancellationError` the asset may have been added.
  public func addAsset(filename: String? = nil, fileURL: URL) async throws -> String {
    let file = try AssetFile(opening: fileURL)
    return try await send(AssetUpload(filename: filename ?? fileURL.lastPathComponent, bytes: .file(file)))
  }

  /// Checks a call of ``addAsset(filename:fileURL:)``, including the bytes, and adds nothing.
  ///
  /// - Throws: the errors of adding: ``PhotosError``, ``PhotoLibraryError``, `CancellationError`.
  public func checkAsset(filename: String? = nil, fileURL: URL) async throws {
    let file = try AssetFile(opening: fileURL)
    _ = try await send(AssetUpload(filename: filename ?? fileURL.lastPathComponent, bytes: .file(file), isDryRun: true))
  }

  /// Adds a photo or a video from an open file, as ``addAsset(filename:fileURL:)`` does from a
  /// path.
  ///
  /// - Parameters:
  ///   - filename: as for ``addAsset(filename:contents:)``.
  ///   - file: open for reading, at most 1 GiB. It stays the caller's, who may close it at any time
  ///     after the call began. A regular file or memory file is read from its beginning, whatever
  ///     its position, and a pipe to its end. A pipe that delivers nothing for 4 seconds times out.
  /// - Returns: the new asset's identifier. An app with `addOnly` access cannot fetch it.
  /// - Throws: the errors of ``addAsset(filename:fileURL:)``; ``PhotosError`` `invalidResource` for
  ///   a file of any other kind.
  public func addAsset(filename: String, file: FileHandle) async throws -> String {
    try await send(AssetUpload(filename: filename, bytes: .file(try AssetFile(duplicating: file))))
  }

  /// Checks a call of ``addAsset(filename:file:)``, including the bytes, and adds nothing. A pipe
  /// is empty afterwards.
  ///
  /// - Throws: the errors of adding: ``PhotosError``, ``PhotoLibraryError``, `CancellationError`.
  public func checkAsset(filename: String, file: FileHandle) async throws {
    _ = try await send(AssetUpload(filename: filename, bytes: .file(try AssetFile(duplicating: file)), isDryRun: true))
  }

  private func send(_ upload: AssetUpload) async throws -> String {
    try await withAccess(for: .addOnly) {
      try await makeLine(for: .addOnly).performUntilCancelled { try upload.send(on: $0) }
    }
  }
}
