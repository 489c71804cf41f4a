import BrokerInterface

/// What a change request made.
public struct ChangeResult: Hashable, Sendable {
  /// Identifiers of the assets that were created, in the order of their requests. An app that may
  /// only add cannot fetch them.
  public let createdAssets: [String]
  /// Identifiers of the albums that were created, in the order of their requests.
  public let createdAssetCollections: [String]
  private let placeholders: [String: String]

  init(_ reply: Library.PerformChanges.Reply) {
    createdAssets = reply.createdAssets
    createdAssetCollections = reply.createdAlbums
    placeholders = reply.placeholders
  }

  /// Nothing was asked for.
  init() {
    createdAssets = []
    createdAssetCollections = []
    placeholders = [:]
  }

  /// The identifier of what a placeholder stood for; nil where that was none of this change's.
  public func localIdentifier(of placeholder: ObjectPlaceholder) -> String? {
    placeholders[placeholder.localIdentifier]
  }
}
