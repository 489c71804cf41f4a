package import PhotoModel

/// Changes that a storage plugin reports.
package enum StorageNews: Sendable, Equatable {
  case nothing
  case anywhere
  case folders([StorageFolder])
}

extension StorageNews {
  /// Invalid folders count as a change anywhere.
  var checked: StorageNews {
    guard case .folders(let folders) = self else { return self }
    return folders.count <= StorageFolder.listLimit && folders.allSatisfy { ItemRules.isFolder($0.path) }
      ? self : .anywhere
  }
}
