/// What a storage says in its handshake that it can. What it does not say it is never asked for.
public enum StorageCapability: String, Sendable, Hashable, CaseIterable {
  /// ``StorageBackend/add(name:contents:size:)``.
  case add
  /// ``StorageBackend/trash(locator:known:)`` and ``StorageBackend/restore(locator:known:)``.
  case trash
  /// ``StorageBackend/read(locator:contentVersion:from:into:)``; a storage with a ``StorageFacts/root`` needs it not.
  case read
  /// ``StorageBackend/enumerate(folders:page:)``.
  case folders
  /// ``StorageBackend/stage(contents:size:)``, ``StorageBackend/publish(_:name:)``, ``StorageBackend/discard(_:)`` and
  /// ``StorageBackend/withdraw(locator:identityHint:)``.
  case stage

  /// What a storage can that does not say what it can.
  public static let usual: Set<Self> = [.add, .trash, .read, .folders]
}
