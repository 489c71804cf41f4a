import CDirectoryStorage
import PhotoModel
import PluginKit

extension ItemFile {
  /// - Parameter folder: the folder that holds the file.
  init(_ facts: directory_entry_facts, name: String, in folder: Folder, at path: String, role: ResourceRole) {
    let microseconds = facts.modified_seconds.multipliedReportingOverflow(by: 1_000_000)
    let version = Self.contentVersion(
      size: facts.size, modifiedSeconds: facts.modified_seconds, nanoseconds: facts.modified_nanoseconds,
      inode: folder.hasLastingInodes ? facts.inode : 0)
    // Without a birth time another file may soon reuse the inode; the version tells them apart.
    let birth = facts.birth_nanoseconds == 0 ? version : "\(facts.birth_nanoseconds)"
    self.init(
      role: role, locator: path.isEmpty ? name : "\(path)/\(name)", filename: name, size: facts.size,
      contentVersion: version,
      identityHint: folder.hasLastingInodes ? "\(facts.device):\(facts.inode):\(birth)" : nil,
      modified: Timestamp(
        microseconds: microseconds.overflow ? 0 : microseconds.partialValue &+ facts.modified_nanoseconds / 1_000))
  }

  /// Confidence that this is the known file. 3: same identity hint. 2: same content version. 1:
  /// same size and time, all that remains after a copy of the folder to another disk. 0: another
  /// file.
  func likeness(to known: KnownFile) -> Int {
    if let identityHint, let hint = known.identityHint, ExactText(identityHint) == ExactText(hint) { return 3 }
    if ExactText(contentVersion) == ExactText(known.contentVersion) { return 2 }
    return Self.sizeAndTime(contentVersion) == Self.sizeAndTime(known.contentVersion) ? 1 : 0
  }

  private static func sizeAndTime(_ contentVersion: String) -> ArraySlice<Substring> {
    contentVersion.split(separator: " ").dropLast()
  }

  /// Whether this is the known file: by identity hint, or by content version if one has no hint.
  func isSame(as known: KnownFile) -> Bool {
    if let identityHint, let hint = known.identityHint { return ExactText(identityHint) == ExactText(hint) }
    return ExactText(contentVersion) == ExactText(known.contentVersion)
  }
}
