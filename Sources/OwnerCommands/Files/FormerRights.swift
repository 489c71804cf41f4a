import Accounts
import CLinux
import Glibc
import UnixSocket

/// Access rights before a folder was opened for the broker, to restore them after a failure.
struct FormerRights: ~Copyable {
  /// The output of getfacl, for setfacl.
  private let listing: FileDescriptor
  /// The add folder, if it was created.
  private let made: String?

  private init(_ listing: consuming FileDescriptor, made: String?) {
    self.listing = listing
    self.made = made
  }

  /// Records the rights of `folders`, and those that `command` prints as getfacl does.
  ///
  /// - Throws: `unavailable` without getfacl, `failed`.
  static func keep(of folders: [String], listing command: [String]?, making folder: String?) throws(CommandError)
    -> FormerRights
  {
    let number = clinux_memory_file("access control lists")
    guard number >= 0 else { throw .file("A memory file", -number) }
    let listing = FileDescriptor(owning: number)
    if !folders.isEmpty { try Subprocess.run(["getfacl", "-n", "-p", "--"] + folders, output: number) }
    if let command {
      // Of a folder that cannot be read, nothing changes either.
      do throws(CommandError) { try Subprocess.run(command, output: number, keepsComplaints: true) } catch {
        guard error.code == .failed else { throw error }
      }
    }
    return FormerRights(listing, made: folder.flatMap { access($0, F_OK) == 0 ? nil : $0 })
  }

  /// Restores the rights.
  ///
  /// - Throws: `failed` if some could not be restored.
  func restore() throws(CommandError) {
    // If an app added files already, the folder is not empty and stays.
    if let made { rmdir(made) }
    lseek(listing.number, 0, SEEK_SET)
    try Subprocess.run(
      ["setfacl", "--restore=-"], input: listing.number,
      advice: "Some access control lists of the folder could not be restored. Check them with getfacl.")
  }
}
