package import PhotoModel

extension Broker {
  /// What a library's storage was last seen to lie on. Assets on a volume that is not there now are
  /// offline, not deleted.
  package func volumes(of library: LibraryName) -> [StorageVolume] { volumes[library] ?? [] }

  package func keepVolumes(_ found: [StorageVolume], of library: LibraryName) {
    guard volumes[library] ?? [] != found else { return }
    volumes[library] = found
    let text = found.map { "\($0.path)\t\($0.identity)" }.joined(separator: "\n")
    // Lost with a crash it is found anew by the next look.
    store.commit([.putSetting(name: SettingName.volumes + library.description, value: text)]) { _ in }
  }

  /// Which of a library's files are of no use, as it was kept; empty where nothing was.
  package func unusableFiles(of library: LibraryName) -> String { unusable[library] ?? "" }

  package func keepUnusableFiles(_ text: String, of library: LibraryName) {
    guard unusableFiles(of: library) != text else { return }
    unusable[library] = text
    // Lost with a crash it is found anew by the next look.
    store.commit([.putSetting(name: SettingName.unusable + library.description, value: text)]) { _ in }
  }

  /// A library of the same name that comes later has nothing of this one.
  func forgetStorage(of library: LibraryName) {
    volumes[library] = nil
    unusable[library] = nil
    changeLogMarks[library] = nil
  }

  static func readVolumes(_ text: String) -> [StorageVolume] {
    text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count == 2 ? StorageVolume(path: String(parts[0]), identity: String(parts[1])) : nil
    }
  }
}
