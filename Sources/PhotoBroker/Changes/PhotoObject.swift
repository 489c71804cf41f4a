import Synchronization

/// An object that a change request can name: an asset, an album, or the placeholder of a new one.
///
/// PhotoKit's `PHObject`.
public protocol PhotoObject: Sendable {
  /// The object's identifier for this app. A placeholder's identifier is valid in its own request
  /// alone.
  var localIdentifier: String { get }
}

extension Asset: PhotoObject {}
extension AssetCollection: PhotoObject {}

/// A stand-in for an object that a change request creates, for later steps of the same request.
///
/// In PhotoKit the created object takes over the placeholder's identifier. Here the object gets
/// another one, which ``ChangeResult/localIdentifier(of:)`` returns.
public struct ObjectPlaceholder: PhotoObject, Hashable {
  /// The placeholder's identifier, valid in its own request alone.
  public let localIdentifier: String

  private static let count = Atomic<UInt64>(0)

  init() { localIdentifier = "$\(Self.count.add(1, ordering: .relaxed).newValue)" }
}
