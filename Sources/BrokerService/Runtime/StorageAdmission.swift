import Broker
import Delivery
import Glibc
import PhotoModel
import PluginHost

/// Where users may have libraries. The broker's user can read what not all of them can, other
/// owners' photos first of all; so a library's folder belongs to its owner, and a storage without a
/// folder, which could read anything, is for whoever could read it anyway: the broker's own user
/// and root. Beyond that it is root who lets them, by the daemon's arguments.
package struct StorageAdmission: Sendable {
  /// Storages without a folder that every user may have libraries on.
  package var openStorages: Set<String>
  /// Absolute paths: folders in which every user may have libraries, whoever owns them. Of what is
  /// there, only files of the library's owner are served, and of the broker's user those that were
  /// saved for them.
  package var openFolders: [String]

  package init(openStorages: Set<String> = [], openFolders: [String] = []) {
    self.openStorages = openStorages
    self.openFolders = openFolders
  }

  /// The library's files.
  /// - Parameters:
  ///   - closed: The broker's own folders, of which nobody has a library: its keys are there.
  ///   - places: In which of these paths the folder has to lie; nil: the storage is believed.
  ///   - wasSeen: Whether the library's folder was looked through before: then another owner's is
  ///     an empty mount point more likely than a mistake.
  /// - Throws: `unsupported`: not for this owner, or nobody. `offline`: the folder cannot be
  ///   opened.
  func files(
    of record: LibraryRecord, _ facts: StorageDescription, _ storage: any LibraryStorage, closed: [String],
    places: [String]?,
    wasSeen: Bool = false
  ) throws(StorageFailure) -> FileSource {
    guard let path = facts.root else {
      guard mayReadAnything(record) || openStorages.contains(record.backend) else {
        throw StorageFailure(
          code: .unsupported,
          message:
            "A library on the storage \"\(record.backend)\" lies in no folder of its owner. Only root and the broker's user can have "
            + "one, unless root starts photobrokerd with --open-storage \(record.backend).",
          why: .storageForeign, values: ["storage": record.backend])
      }
      return .backend(storage, PartReading(isDeclared: facts.readsRanges))
    }
    let root: LibraryRoot
    do throws(DeliveryError) {
      // Only where its owner lets a library reach over mounts.
      root = try LibraryRoot(
        path: path, owners: [record.owner, geteuid()],
        saved: mayReadAnything(record) ? nil : SavedFiles(of: record.owner, by: geteuid()),
        crossesMounts: record.options["oneFileSystem"] == "false", closed: closed)
    } catch {
      throw StorageFailure(
        code: .offline, message: "The library's folder cannot be opened: \(error)", why: .folderClosed)
    }
    guard mayReadAnything(record) || root.uid == record.owner || isOpen(root, at: path, to: record.owner) else {
      throw foreign(record, wasSeen: wasSeen)
    }
    guard root.isApart else {
      throw StorageFailure(
        code: .unsupported,
        message:
          "The library's folder is one of the broker's own, lies in one or has one in it, with what the broker keeps secret. "
          + "Choose another folder.",
        why: .folderBrokers)
    }
    if let places, Self.depth(of: path, in: places) == nil {
      throw StorageFailure(
        code: .unsupported,
        message:
          "The storage \"\(record.backend)\" serves a folder that lies in none of its options' paths. Do not use it before you know "
          + "why.",
        why: .folderElsewhere, values: ["storage": record.backend])
    }
    // Another one came into its place since the storage was opened: the plugin is to work in the
    // one whose owner was checked.
    guard storage.pins.include(root.lineage, at: path, isBelieved: places == nil) else {
      throw StorageFailure(
        code: .offline,
        message: "Another folder came into the place of the library's while it was opened; it is tried again.",
        why: .otherVolume)
    }
    return .folder(root)
  }

  /// Refuses options with a path through a folder that another user keeps closed to the owner: why
  /// nothing can be served there would tell what is there.
  /// - Throws: the same as for another user's folder.
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
        code: .offline,
        message:
          "The library's folder is away, or in its place is one that does not belong to its owner, user \(record.owner). Its disk "
          + "may be away: connect it again. Else have the folder belong to that user again.",
        why: .folderReplaced, values: ["user": "\(record.owner)"])
    }
    return StorageFailure(
      code: .unsupported,
      message:
        "The library's folder is not there, or does not belong to its owner, user \(record.owner). Choose a folder of theirs, or "
        + "have root start photobrokerd with --open-folder and this folder or one above it.",
      why: .folderForeign, values: ["user": "\(record.owner)"])
  }

  /// Refuses to have what apps add put into another user's folder: it would be theirs.
  /// - Throws: `readOnly`.
  func checkAdding(to source: FileSource, of record: LibraryRecord) throws(StorageFailure) {
    guard case .folder(let root) = source,
      let folder = record.options["addFolder"] ?? Self.defaultAddFolders[record.backend]
    else {
      return
    }
    guard ![folder, folder + "/" + SavedFolder.name(of: record.owner)].contains(where: root.isOthers) else {
      throw StorageFailure(
        code: .readOnly,
        message:
          "What apps add would go to another user's folder, which option \"addFolder\" leads into. Name one that lies in none.",
        why: .addFolderForeign)
    }
  }

  /// Refuses to bring a file back into what is another user's folder by now.
  /// - Throws: `readOnly`.
  func checkRestoring(_ locator: String, to source: FileSource) throws(StorageFailure) {
    guard case .folder(let root) = source, root.isOthers(StorageFolder(of: locator).path) else { return }
    throw StorageFailure(
      code: .readOnly,
      message: "Another user's folder is where the file was. It stays in the trash until that one has another name.")
  }

  /// Where the bundled storage puts what apps add, unless its option says it.
  private static let defaultAddFolders = ["directory": "PhotoBroker"]

  private func mayReadAnything(_ record: LibraryRecord) -> Bool { record.owner == 0 || record.owner == geteuid() }

  /// Whether a root lies in an open folder, and not in another user's there that is closed to the
  /// owner, as far as its mode says, or in what was saved for somebody else.
  private func isOpen(_ root: LibraryRoot, at path: String, to owner: UInt32) -> Bool {
    guard let depth = Self.depth(of: path, in: openFolders), root.uid != geteuid() || root.isBroad else { return false }
    return root.above.prefix(depth).allSatisfy { [0, owner, geteuid()].contains($0.owner) || $0.mode & 0o5 == 0o5 }
  }

  /// How many folders below the nearest of some one lies; nil: in none of them. By the real paths,
  /// so that no link leads out of a folder.
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
