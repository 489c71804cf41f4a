import CLinux
import Glibc
import UnixSocket

/// What folders and files let whom do before they were opened for the broker, to put it back where that was in vain.
struct FormerRights: ~Copyable {
  /// What getfacl said, as setfacl reads it.
  private let listing: FileDescriptor
  /// The folder for added files, where it was made anew.
  private let made: String?

  private init(_ listing: consuming FileDescriptor, made: String?) {
    self.listing = listing
    self.made = made
  }

  /// Keeps the rights of `folders`, and what `command` lists in getfacl's words.
  ///
  /// - Throws: `unavailable` where there is no getfacl, `failed` where it failed.
  static func keep(of folders: [String], listing command: [String]?, making folder: String?) throws(CommandError)
    -> FormerRights
  {
    let number = clinux_memory_file("access control lists")
    guard number >= 0 else { throw .file("A memory file", -number) }
    let listing = FileDescriptor(owning: number)
    if !folders.isEmpty { try ChildProcess.run(["getfacl", "-n", "-p", "--"] + folders, output: number) }
    if let command { try ChildProcess.run(command, output: number) }
    return FormerRights(listing, made: folder.flatMap { access($0, F_OK) == 0 ? nil : $0 })
  }

  /// Puts them back.
  ///
  /// - Throws: `failed` where not all of it could be put back.
  func restore() throws(CommandError) {
    // Not empty: an app's files are in it already, and stay.
    if let made { rmdir(made) }
    lseek(listing.number, 0, SEEK_SET)
    try ChildProcess.run(
      ["setfacl", "--restore=-"], input: listing.number,
      advice: "The folder's access control lists are not all as they were.")
  }
}
