import BrokerInterface

extension PhotoLibrary {
  /// The identifiers in parts that fit one call.
  private static func batches(_ identifiers: [String]) -> [[String]] {
    stride(from: 0, to: identifiers.count, by: 1_000).map { Array(identifiers.dropFirst($0).prefix(1_000)) }
  }

  /// Maps local identifiers of assets and albums to cloud identifiers.
  ///
  /// - Returns: a result for each identifier; a failure affects no other result.
  ///   `identifierNotFound` means that the object does not exist, is not visible to the app or has
  ///   no name in the library's cloud mapping. `networkAccessRequired` means that the storage has
  ///   not downloaded its bytes yet: ask again.
  /// - Throws: ``PhotosError``, ``PhotoLibraryError`` if no identifier could be mapped.
  public func cloudIdentifierMappings(
    forLocalIdentifiers identifiers: [String]
  ) async throws -> [String: Result<CloudIdentifier, PhotosError>] {
    var found: [String: Result<CloudIdentifier, PhotosError>] = [:]
    for piece in Self.batches(identifiers) {
      let mappings = try await callWithAccess {
        try $0.call(Library.GetCloudIdentifiers.self, .init(localIdentifiers: piece)).mappings
      }
      for mapping in mappings {
        found[mapping.localIdentifier] =
          mapping.cloudIdentifier.map { .success(CloudIdentifier(stringValue: $0)) }
          ?? .failure(PhotosError(mapping: mapping.code))
      }
    }
    return found
  }

  /// Maps cloud identifiers to local identifiers of assets and albums.
  ///
  /// - Returns: a result for each identifier. `identifierNotFound`: show a placeholder.
  ///   `multipleIdentifiersFound`: let a person choose one of ``PhotosError/localIdentifiers``.
  ///   `networkAccessRequired`: remote photos were not all read yet, ask again.
  /// - Throws: ``PhotosError``, ``PhotoLibraryError`` if no identifier could be mapped.
  public func localIdentifierMappings(
    for identifiers: [CloudIdentifier]
  ) async throws -> [CloudIdentifier: Result<String, PhotosError>] {
    var found: [CloudIdentifier: Result<String, PhotosError>] = [:]
    for piece in Self.batches(identifiers.map(\.stringValue)) {
      let mappings = try await callWithAccess {
        try $0.call(Library.GetLocalIdentifiers.self, .init(cloudIdentifiers: piece)).mappings
      }
      for mapping in mappings {
        found[CloudIdentifier(stringValue: mapping.cloudIdentifier)] =
          mapping.localIdentifier.map { .success($0) } ?? .failure(PhotosError(mapping: mapping.code, mapping.matches))
      }
    }
    return found
  }
}

extension PhotosError {
  fileprivate init(mapping code: Int64?, _ matches: [String] = []) {
    let code = code.flatMap { Int(exactly: $0) }.flatMap(Code.init(rawValue:)) ?? .internalError
    let message =
      switch code {
      case .identifierNotFound: "Nothing that this app may see has this identifier; show a placeholder and keep it."
      case .multipleIdentifiersFound: "Several photos have this content; let a person choose one of localIdentifiers."
      case .networkAccessRequired: "The broker has not read all photos of its remote storage yet; ask again."
      default: "The identifier could not be mapped; ask again later."
      }
    self.init(code, message, localIdentifiers: matches)
  }
}
