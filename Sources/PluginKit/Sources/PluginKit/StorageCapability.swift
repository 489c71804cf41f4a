/// A group of calls that a storage declares in its handshake. The broker makes no others.
public enum StorageCapability: String, Sendable, Hashable, CaseIterable {
  /// ``StorageBackend/add(name:contents:size:)``.
  case add
  /// ``StorageBackend/trash(locator:known:)`` and ``StorageBackend/restore(locator:known:)``.
  case trash
  /// ``StorageBackend/read(locator:contentVersion:from:into:)``, for a storage without a root.
  case read
  /// ``StorageBackend/enumerate(folders:page:)``.
  case folders
  /// ``StorageBackend/stage(contents:size:)``, ``StorageBackend/publish(_:name:)``,
  /// ``StorageBackend/discard(_:)`` and ``StorageBackend/withdraw(locator:identityHint:)``.
  case stage
  /// ``StorageBackend/findTrashed(locator:known:)``.
  case findTrashed

  /// The capabilities of a storage that declares none.
  public static let usual: Set<Self> = [.add, .trash, .read, .folders]
}
