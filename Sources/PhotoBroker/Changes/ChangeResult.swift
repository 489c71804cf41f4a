import BrokerInterface

/// The identifiers that a change created.
public struct ChangeResult: Hashable, Sendable {
  /// Identifiers of the created assets, in the order of their requests. An app with `addOnly`
  /// access cannot fetch them.
  public let createdAssets: [String]
  /// Identifiers of the created albums, in the order of their requests.
  public let createdAssetCollections: [String]
  private let placeholders: [String: String]

  init(_ reply: Library.PerformChanges.Reply) {
    createdAssets = reply.createdAssets
    createdAssetCollections = reply.createdAlbums
    placeholders = reply.placeholders
  }

  init() {
    createdAssets = []
    createdAssetCollections = []
    placeholders = [:]
  }

  /// Returns the identifier of the object behind a placeholder; nil for a placeholder of another
  /// change.
  public func localIdentifier(of placeholder: ObjectPlaceholder) -> String? {
    placeholders[placeholder.localIdentifier]
  }
}
