package import PhotoModel

/// Stored notes on the storage and the change log of each library, which no decision is about.
package final class LibraryNotes {
  private let store: any Store
  private var volumes: [LibraryName: [StorageVolume]] = [:]
  private var unusable: [LibraryName: String] = [:]
  /// The change log of each library before the present period.
  var changeLogMarks: [LibraryName: ChangeLogMark] = [:]

  init(_ settings: [String: String], of libraries: [LibraryName], store: any Store) {
    self.store = store
    for library in libraries {
      let name = library.description
      volumes[library] = settings[SettingName.volumes + name].map(Self.readVolumes)
      unusable[library] = settings[SettingName.unusable + name]
      changeLogMarks[library] = settings[SettingName.changeLog + name].flatMap(ChangeLogMark.init)
    }
  }

  /// The volumes on which a library's storage was last found. Assets on a volume that is not
  /// mounted are offline, not deleted.
  package func volumes(of library: LibraryName) -> [StorageVolume] { volumes[library] ?? [] }

  package func keepVolumes(_ found: [StorageVolume], of library: LibraryName) {
    guard volumes[library] ?? [] != found else { return }
    volumes[library] = found
    let text = found.map { "\($0.path)\t\($0.identity)" }.joined(separator: "\n")
    // After a crash the next scan finds it again.
    store.commit([.putSetting(name: SettingName.volumes + library.description, value: text)]) { _ in }
  }

  /// The stored list of a library's unusable files; empty if there is none.
  package func unusableFiles(of library: LibraryName) -> String { unusable[library] ?? "" }

  package func keepUnusableFiles(_ text: String, of library: LibraryName) {
    guard unusableFiles(of: library) != text else { return }
    unusable[library] = text
    // After a crash the next scan finds it again.
    store.commit([.putSetting(name: SettingName.unusable + library.description, value: text)]) { _ in }
  }

  /// Clears the entries of a removed library, so that a later one of the same name does not inherit
  /// them.
  func forget(_ library: LibraryName) {
    volumes[library] = nil
    unusable[library] = nil
    changeLogMarks[library] = nil
  }

  private static func readVolumes(_ text: String) -> [StorageVolume] {
    text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count == 2 ? StorageVolume(path: String(parts[0]), identity: String(parts[1])) : nil
    }
  }
}
