import CDirectoryStorage
import PhotoModel

extension ItemFile {
  init(_ facts: directory_entry_facts, name: String, folder: String, role: ResourceRole) {
    let microseconds = facts.modified_seconds.multipliedReportingOverflow(by: 1_000_000)
    self.init(
      role: role, locator: folder.isEmpty ? name : "\(folder)/\(name)", filename: name, size: facts.size,
      contentVersion: Self.contentVersion(
        size: facts.size, modifiedSeconds: facts.modified_seconds, nanoseconds: facts.modified_nanoseconds, inode: facts.inode),
      identityHint: "\(facts.device):\(facts.inode):\(facts.birth_nanoseconds)",
      modified: Timestamp(microseconds: microseconds.overflow ? 0 : microseconds.partialValue &+ facts.modified_nanoseconds / 1_000))
  }
}
