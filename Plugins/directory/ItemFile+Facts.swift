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
    // Without a time of birth the inode of a removed file is soon another one's: what that one's bytes are tells them apart.
    let birth = facts.birth_nanoseconds == 0 ? version : "\(facts.birth_nanoseconds)"
    self.init(
      role: role, locator: path.isEmpty ? name : "\(path)/\(name)", filename: name, size: facts.size, contentVersion: version,
      identityHint: folder.hasLastingInodes ? "\(facts.device):\(facts.inode):\(birth)" : nil,
      modified: Timestamp(microseconds: microseconds.overflow ? 0 : microseconds.partialValue &+ facts.modified_nanoseconds / 1_000))
  }

  /// Whether this is the file that was known: by what stays with it, else by how it was.
  func isSame(as known: KnownFile) -> Bool {
    if let identityHint, let hint = known.identityHint { return ExactText(identityHint) == ExactText(hint) }
    return ExactText(contentVersion) == ExactText(known.contentVersion)
  }
}
