import CDirectoryStorage
import PhotoModel

extension ItemFile {
  init(_ facts: directory_entry_facts, name: String, folder: String, role: ResourceRole) {
    let microseconds = facts.modified_seconds.multipliedReportingOverflow(by: 1_000_000)
    let version = Self.contentVersion(
      size: facts.size, modifiedSeconds: facts.modified_seconds, nanoseconds: facts.modified_nanoseconds, inode: facts.inode)
    // Without a time of birth the inode of a removed file is soon another one's: what that one's bytes are tells them apart.
    let birth = facts.birth_nanoseconds == 0 ? version : "\(facts.birth_nanoseconds)"
    self.init(
      role: role, locator: folder.isEmpty ? name : "\(folder)/\(name)", filename: name, size: facts.size, contentVersion: version,
      identityHint: "\(facts.device):\(facts.inode):\(birth)",
      modified: Timestamp(microseconds: microseconds.overflow ? 0 : microseconds.partialValue &+ facts.modified_nanoseconds / 1_000))
  }
}
