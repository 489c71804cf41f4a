import Broker
import Delivery
import Glibc
import PhotoModel
import PluginHost
import PluginKit

/// The folders and storages in which users may have libraries. The broker's user can read files
/// that some users cannot, above all other owners' photos. So a library's folder must belong to its
/// owner. A storage without a folder can read anything, so only root and the broker's user may use
/// it. Root can allow more by the daemon's arguments.
package struct AllowedPlaces: Sendable {
  /// Storages without a folder that every user may use.
  package var openStorages: Set<String>
  /// Absolute paths of folders in which every user may have libraries, whoever owns them. In there,
  /// only files of the library's owner are served, and files of the broker's user that were saved
  /// for that owner.
  package var openFolders: [String]

  package init(openStorages: Set<String> = [], openFolders: [String] = []) {
    self.openStorages = openStorages
    self.openFolders = openFolders
  }

  /// The library's files.
  /// - Parameters:
  /// - closed: The broker's own folders with its keys, in which no library may lie.
  /// - places: Paths of which one must contain the folder; nil: any.
  /// - wasSeen: Whether the folder was scanned before; if so, another owner more likely means an
  ///   empty mount point than a mistake.
  /// - Throws: `unsupported` if this owner, or any, may not have it; `offline` if the folder cannot
  ///   be opened.
  func files(
    of record: LibraryRecord, _ facts: StorageFacts, _ storage: PluginStorage, closed: [String],
    places: [String]?,
    wasSeen: Bool = false
  ) throws(StorageFailure) -> FileSource {
    guard let path = facts.root else {
      guard mayReadAnything(record) || openStorages.contains(record.backend) else {
        throw StorageFailure(
          .unsupported, .storageForeign,
          "The storage \"\(record.backend)\" has no folder that belongs to an owner. Only root and the broker's "
            + "user may use it, unless root starts photobrokerd with --open-storage \(record.backend).",
          ["storage": record.backend])
      }
      return .backend(storage, PartReading(isDeclared: facts.readsRanges))
    }
    let root: LibraryRoot
    do throws(DeliveryError) {
      // Crosses mounts only if the owner set the option `oneFileSystem` to false.
      root = try LibraryRoot(
        path: path, owners: [record.owner, geteuid()],
        saved: mayReadAnything(record) ? nil : SavedFiles(of: record.owner, by: geteuid()),
        crossesMounts: record.options["oneFileSystem"] == "false", closed: closed)
    } catch {
      throw StorageFailure(.offline, .folderClosed, "The library's folder cannot be opened: \(error)")
    }
    guard mayReadAnything(record) || root.uid == record.owner || isOpen(root, at: path, to: record.owner) else {
      throw foreign(record, wasSeen: wasSeen)
    }
    guard root.isApart else {
      throw StorageFailure(
        .unsupported, .folderBrokers,
        "The library's folder is, contains or lies in a private folder of the broker. Choose another folder.")
    }
    if let places, Self.depth(of: path, in: places) == nil {
      throw StorageFailure(
        .unsupported, .folderElsewhere,
        "The storage \"\(record.backend)\" serves a folder that lies in none of its options' paths. Do not use it "
          + "before you know why.", ["storage": record.backend])
    }
    // Another folder took the place since the storage was opened. The plugin must work in the one
    // whose owner was checked.
    guard storage.pins.include(root.lineage, at: path, isBelieved: places == nil) else {
      throw StorageFailure(
        .offline, .otherVolume, "The library's folder was replaced while it was opened; the broker tries again.")
    }
    return .folder(root)
  }

  /// Refuses options with a path through a folder that is closed to the owner. Otherwise the exact
  /// error would reveal the folder's contents.
  /// - Throws: The same error as for another user's folder.
  func checkPaths(_ options: [[String: String]], of record: LibraryRecord, wasSeen: Bool = false) throws(StorageFailure)
  {
    guard !mayReadAnything(record) else { return }
    let visible = PathVisibility(of: record.owner, openFolders: openFolders)
    let paths = options.flatMap(\.values).filter { $0.utf8.first == UInt8(ascii: "/") }
    guard paths.allSatisfy(visible.includes) else { throw foreign(record, wasSeen: wasSeen) }
  }

  private func foreign(_ record: LibraryRecord, wasSeen: Bool) -> StorageFailure {
    guard !wasSeen else {
      return StorageFailure(
        .offline, .folderReplaced,
        "The library's folder is missing, or does not belong to its owner, user \(record.owner). Connect its disk, "
          + "or give the folder back to that user.", ["user": "\(record.owner)"])
    }
    return StorageFailure(
      .unsupported, .folderForeign,
      "The library's folder is not there, or does not belong to its owner, user \(record.owner). Choose a folder of "
        + "theirs, or have root start photobrokerd with --open-folder and this folder or one above it.",
      ["user": "\(record.owner)"])
  }

  /// Refuses to add apps' files in another user's folder, since they would be that user's.
  /// - Throws: `readOnly`.
  func checkAdding(to source: FileSource, of record: LibraryRecord) throws(StorageFailure) {
    guard case .folder(let root) = source,
      let folder = record.options["addFolder"] ?? Self.defaultAddFolders[record.backend]
    else {
      return
    }
    guard ![folder, folder + "/" + SavedFolder.name(of: record.owner)].contains(where: root.isOthers) else {
      throw StorageFailure(
        .readOnly, .addFolderForeign,
        "The option \"addFolder\" leads into another user's folder, where apps' new photos would go. Name another "
          + "folder.")
    }
  }

  /// Refuses to restore a file into a folder that is another user's by now.
  /// - Throws: `readOnly`.
  func checkRestoring(_ locator: String, to source: FileSource) throws(StorageFailure) {
    guard case .folder(let root) = source, root.isOthers(StorageFolder(of: locator).path) else { return }
    throw StorageFailure(
      .readOnly,
      "Another user's folder is where the file was. The file stays in the trash until that folder is renamed.")
  }

  /// Folder of the bundled storage for files that apps add, unless its option names another.
  private static let defaultAddFolders = ["directory": "PhotoBroker"]

  private func mayReadAnything(_ record: LibraryRecord) -> Bool { record.owner == 0 || record.owner == geteuid() }

  /// Whether a root lies in an open folder (`--open-folder`). Every folder between the two must
  /// belong to the owner, root or the broker, or admit everybody by its mode. The root must not
  /// consist of files that the broker saved for somebody else.
  private func isOpen(_ root: LibraryRoot, at path: String, to owner: UInt32) -> Bool {
    guard let depth = Self.depth(of: path, in: openFolders), root.uid != geteuid() || root.isBroad else { return false }
    return root.above.prefix(depth).allSatisfy { [0, owner, geteuid()].contains($0.owner) || $0.mode & 0o5 == 0o5 }
  }

  /// Depth below the nearest of the folders; nil: in none of them. Compares real paths, so that no
  /// link leads out of a folder.
  private static func depth(of path: String, in folders: [String]) -> Int? {
    guard let real = real(path) else { return nil }
    return folders.compactMap { folder in
      guard let folder = Self.real(folder), real == folder || real.hasPrefix(folder == "/" ? "/" : folder + "/") else {
        return nil
      }
      return parts(of: real) - parts(of: folder)
    }.min()
  }

  private static func parts(of path: String) -> Int { path.utf8.split(separator: UInt8(ascii: "/")).count }

  private static func real(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}
