package import PhotoModel

/// What a storage plugin says of changes.
package enum StorageNews: Sendable, Equatable {
  case nothing
  /// It does not say where.
  case anywhere
  case folders([StorageFolder])
}
