public import Foundation

extension PhotoLibrary {
  /// Adds a photo or a video.
  ///
  /// - Parameters:
  ///   - filename: without a folder; at most 200 bytes, no control characters, and no dot at its beginning.
  ///   - contents: the whole file. A large one is better handed over as a file: see ``addAsset(filename:fileURL:)``.
  /// - Returns: the new asset's identifier; an app that may only add cannot fetch it.
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``; after `connectionLost` the asset may have been added.
  public func addAsset(filename: String, contents: Data) async throws -> String {
    try await callWithAccess(level: .addOnly, isRepeatable: false) { wire in
      try AssetUpload(filename: filename, bytes: .data(contents)).send(on: wire)
    }
  }

  /// Checks what ``addAsset(filename:contents:)`` would do, the bytes too, and adds nothing.
  /// Whether there is room for them is found out by adding alone.
  ///
  /// - Throws: what adding would throw: ``PhotosError``, ``PhotoLibraryError``.
  public func checkAsset(filename: String, contents: Data) async throws {
    _ = try await callWithAccess(level: .addOnly) { wire in
      try AssetUpload(filename: filename, bytes: .data(contents), isDryRun: true).send(on: wire)
    }
  }

  /// Adds a photo or a video that lies in a file. The broker gets the open file and copies it: the
  /// bytes do not go through this process, unless the broker takes no descriptor.
  ///
  /// It has a connection of its own, so that a large file holds up no other call; cancelling the
  /// task ends it.
  /// - Parameters:
  ///   - filename: as for ``addAsset(filename:contents:)``; nil is the file's own name.
  ///   - fileURL: a regular file, of at most 1 GiB, that this process may read. A symbolic link is
  ///     followed.
  /// - Returns: the new asset's identifier; an app that may only add cannot fetch it.
  /// - Throws: ``PhotosError``; ``PhotoLibraryError``, `bytesUnavailable` where the file cannot be
  ///   opened, with the system's reason as its cause, or is no regular one; after `connectionLost`
  ///   and `CancellationError` the asset may have been added.
  public func addAsset(filename: String? = nil, fileURL: URL) async throws -> String {
    let file = try AssetFile(opening: fileURL)
    return try await send(AssetUpload(filename: filename ?? fileURL.lastPathComponent, bytes: .file(file)))
  }

  /// Checks what ``addAsset(filename:fileURL:)`` would do, the bytes too, and adds nothing.
  ///
  /// - Throws: what adding would throw: ``PhotosError``, ``PhotoLibraryError``, `CancellationError`.
  public func checkAsset(filename: String? = nil, fileURL: URL) async throws {
    let file = try AssetFile(opening: fileURL)
    _ = try await send(AssetUpload(filename: filename ?? fileURL.lastPathComponent, bytes: .file(file), isDryRun: true))
  }

  /// Adds a photo or a video from an open file, as ``addAsset(filename:fileURL:)`` does from one by
  /// its place.
  ///
  /// - Parameters:
  ///   - filename: as for ``addAsset(filename:contents:)``.
  ///   - file: open for reading, and the caller's to close, at any time after the call began. A
  ///     regular or a memory file is taken from its beginning, wherever its position is; a pipe is
  ///     read to its end, and must bring something every 4 seconds. At most 1 GiB.
  /// - Returns: the new asset's identifier; an app that may only add cannot fetch it.
  /// - Throws: as ``addAsset(filename:fileURL:)``; ``PhotosError`` `invalidResource` for what is
  ///   neither.
  public func addAsset(filename: String, file: FileHandle) async throws -> String {
    try await send(AssetUpload(filename: filename, bytes: .file(try AssetFile(duplicating: file))))
  }

  /// Checks what ``addAsset(filename:file:)`` would do, the bytes too, and adds nothing. A pipe is empty afterwards.
  ///
  /// - Throws: what adding would throw: ``PhotosError``, ``PhotoLibraryError``, `CancellationError`.
  public func checkAsset(filename: String, file: FileHandle) async throws {
    _ = try await send(AssetUpload(filename: filename, bytes: .file(try AssetFile(duplicating: file)), isDryRun: true))
  }

  private func send(_ upload: AssetUpload) async throws -> String {
    try await withAccess(for: .addOnly) {
      try await makeLine(for: .addOnly).performUntilCancelled { try upload.send(on: $0) }
    }
  }
}
