import CDirectoryStorage
import PhotoModel
import PluginKit

extension ItemFile {
  /// - Parameter folder: The one that the file lies in.
  init(_ facts: directory_entry_facts, name: String, in folder: Folder, at path: String, role: ResourceRole) {
    let microseconds = facts.modified_seconds.multipliedReportingOverflow(by: 1_000_000)
    let version = Self.contentVersion(
      size: facts.size, modifiedSeconds: facts.modified_seconds, nanoseconds: facts.modified_nanoseconds,
      inode: folder.hasLastingInodes ? facts.inode : 0)
    // Without a time of birth the inode of a removed file is soon another one's: what that one's
    // bytes are tells them apart.
    let birth = facts.birth_nanoseconds == 0 ? version : "\(facts.birth_nanoseconds)"
    self.init(
      role: role, locator: path.isEmpty ? name : "\(path)/\(name)", filename: name, size: facts.size,
      contentVersion: version,
      identityHint: folder.hasLastingInodes ? "\(facts.device):\(facts.inode):\(birth)" : nil,
      modified: Timestamp(
        microseconds: microseconds.overflow ? 0 : microseconds.partialValue &+ facts.modified_nanoseconds / 1_000))
  }

  /// How surely this is the file that was known: 3 by what stays with it, 2 by how it was, 1 by its
  /// size and time, which is all that is left of it where the whole folder was copied to another
  /// disk; 0: it is another one.
  func likeness(to known: KnownFile) -> Int {
    if let identityHint, let hint = known.identityHint, ExactText(identityHint) == ExactText(hint) { return 3 }
    if ExactText(contentVersion) == ExactText(known.contentVersion) { return 2 }
    return Self.sizeAndTime(contentVersion) == Self.sizeAndTime(known.contentVersion) ? 1 : 0
  }

  /// A version without the inode at its end.
  private static func sizeAndTime(_ contentVersion: String) -> ArraySlice<Substring> {
    contentVersion.split(separator: " ").dropLast()
  }

  /// Whether this is the file that was known: by what stays with it, else by how it was.
  func isSame(as known: KnownFile) -> Bool {
    if let identityHint, let hint = known.identityHint { return ExactText(identityHint) == ExactText(hint) }
    return ExactText(contentVersion) == ExactText(known.contentVersion)
  }
}
