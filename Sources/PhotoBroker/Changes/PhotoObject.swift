import Synchronization

/// What a change request can name: an asset, an album, or what the same request creates.
///
/// PhotoKit's `PHObject`.
public protocol PhotoObject: Sendable {
  /// Names it for this app; of an ``ObjectPlaceholder`` inside of its request alone.
  var localIdentifier: String { get }
}

extension Asset: PhotoObject {}
extension AssetCollection: PhotoObject {}

/// What a change request creates, before it is there: later steps of the same request name it.
///
/// Unlike that of PhotoKit's `PHObjectPlaceholder` its identifier is not the one of what is created:
/// ``ChangeResult/localIdentifier(of:)`` answers that.
public struct ObjectPlaceholder: PhotoObject, Hashable {
  /// Names it inside of the request that creates it, and nowhere else.
  public let localIdentifier: String

  private static let count = Atomic<UInt64>(0)

  /// One that no other request of this process has.
  init() { localIdentifier = "$\(Self.count.add(1, ordering: .relaxed).newValue)" }
}
