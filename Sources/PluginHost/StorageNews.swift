package import PhotoModel

/// What a storage plugin says of changes.
package enum StorageNews: Sendable, Equatable {
  case nothing
  /// It does not say where.
  case anywhere
  case folders([StorageFolder])
}

extension StorageNews {
  /// What breaks the protocol's limits says nothing of where.
  var checked: StorageNews {
    guard case .folders(let folders) = self else { return self }
    return folders.count <= StorageFolder.listLimit && folders.allSatisfy { ItemRules.isFolder($0.path) }
      ? self : .anywhere
  }
}
