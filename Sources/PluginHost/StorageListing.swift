import BrokerInterface
package import PhotoModel
import PluginKit

/// What a storage plugin listed, checked.
package struct StorageListing: Sendable {
  package var items: [StorageItem] = []
  /// Files that are there and cannot be used, and items that broke the protocol's limits.
  package var skipped = 0
  /// Folders that could not be read, with all below them.
  package var unreadable: [String] = []
  package var volumes: [StorageVolume] = []

  package init() {}

  /// - Throws: `failed` where these break the limits: what they protect would look deleted without them.
  mutating func take(unreadable: [String], volumes: [Plugin.Volume], of name: String) throws(PluginFailure) {
    self.unreadable += unreadable
    self.volumes += volumes.map { StorageVolume(path: $0.path, identity: $0.identity) }
    guard self.unreadable.count <= StorageFolder.listLimit, self.volumes.count <= StorageFolder.listLimit,
      unreadable.allSatisfy(Self.isFolder),
      volumes.allSatisfy({ Self.isFolder($0.path) && (1...256).contains($0.identity.utf8.count) && !$0.identity.contains("\n") })
    else { throw PluginFailure(.failed, "storage(\(name)): Its unreadable folders or volumes break the protocol's limits.") }
  }

  static func isFolder(_ path: String) -> Bool { path.isEmpty || ItemFile.isPath(path) }
}
