import BrokerInterface

extension Asset {
  /// Fetches assets. If nobody has decided on the access yet, a person is asked first.
  ///
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``.
  public static func fetchAssets(in library: PhotoLibrary, options: FetchOptions = FetchOptions()) async throws
    -> FetchResult
  {
    try await FetchResult(library: library, options: options)
  }

  /// Fetches assets by identifier, at most 1,000. Assets that the app may not see are left out.
  ///
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``.
  public static func fetchAssets(
    withLocalIdentifiers identifiers: [String], in library: PhotoLibrary
  ) async throws -> FetchResult {
    var options = FetchOptions()
    options.localIdentifiers = identifiers
    return try await FetchResult(library: library, options: options)
  }

  /// Fetches the members of an album.
  ///
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``.
  public static func fetchAssets(
    in collection: AssetCollection, of library: PhotoLibrary, options: FetchOptions = FetchOptions()
  ) async throws -> FetchResult {
    var options = options
    options.collection = collection
    return try await FetchResult(library: library, options: options)
  }

  /// Fetches this asset's caption from the broker: the edited text, else the file's own; nil if it
  /// has none.
  ///
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``.
  public func fetchCaption(in library: PhotoLibrary) async throws -> String? {
    let parameters = Library.GetDetails.Parameters(asset: localIdentifier)
    return try await library.callWithAccess { try $0.call(Library.GetDetails.self, parameters).caption }
  }
}
