import BrokerInterface

extension PhotoLibrary {
  /// Identifiers in one call: what the broker takes.
  private static var mappingBatch: Int { 1_000 }

  /// What assets and albums are called on other machines.
  ///
  /// - Returns: for each identifier its cloud identifier, or why there is none:
  ///   `identifierNotFound` for what is not there, not accessible or not named by the library's
  ///   cloud mapping, `networkAccessRequired` where the bytes are far away and were not read yet:
  ///   ask again. One that fails fails no other.
  /// - Throws: ``PhotosError``, ``PhotoLibraryError`` where nothing could be mapped.
  public func cloudIdentifierMappings(
    forLocalIdentifiers identifiers: [String]
  ) async throws -> [String: Result<CloudIdentifier, PhotosError>] {
    var found: [String: Result<CloudIdentifier, PhotosError>] = [:]
    for start in stride(from: 0, to: identifiers.count, by: Self.mappingBatch) {
      let piece = Array(identifiers[start..<min(start + Self.mappingBatch, identifiers.count)])
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

  /// Which assets and albums of this library cloud identifiers name.
  ///
  /// - Returns: for each its local identifier, or why there is none: `identifierNotFound`, which an app shows as a
  ///   placeholder, `multipleIdentifiersFound` with the ``PhotosError/localIdentifiers`` that a person chooses from, or
  ///   `networkAccessRequired` where photos that are far away were not all read yet: ask again.
  /// - Throws: ``PhotosError``, ``PhotoLibraryError`` where nothing could be mapped.
  public func localIdentifierMappings(
    for identifiers: [CloudIdentifier]
  ) async throws -> [CloudIdentifier: Result<String, PhotosError>] {
    var found: [CloudIdentifier: Result<String, PhotosError>] = [:]
    for start in stride(from: 0, to: identifiers.count, by: Self.mappingBatch) {
      let piece = identifiers[start..<min(start + Self.mappingBatch, identifiers.count)].map(\.stringValue)
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
      case .networkAccessRequired: "The broker has not read all photos that are far away yet; ask again."
      default: "The identifier could not be mapped; ask again later."
      }
    self.init(code, message, localIdentifiers: matches)
  }
}
