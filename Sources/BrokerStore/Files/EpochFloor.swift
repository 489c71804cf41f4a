import CLinux
import Glibc

/// The greatest epoch that was ever made durable, kept outside the database, so that an older copy of the database that
/// somebody puts back is recognised: otherwise rights that were taken away since would come back with it.
///
/// It is written after each commit that raises the epoch and synced within a second. After a power failure it may be a
/// little behind the database, never ahead, so it raises no false alarm. The database knows its floor file by inode and
/// time of birth: a folder that came back from a backup whole, floor included, is recognised too. The epoch is in the file's
/// name as well as in it: a backup that is laid over the folder overwrites what has a name of its own, and keeps its inode,
/// but does not bring an older name back with it. What cannot be recognised is a file system that was itself set back to a
/// snapshot.
struct EpochFloor: ~Copyable {
  /// Inode and birth (nanoseconds since 1970, 0 where the file system has none) of a floor file.
  struct Identity: Equatable {
    var inode: Int64
    var born: Int64
  }

  private static let header = "photobroker epoch floor 1\n"
  private let folder: StateFolder
  private let file: StateFile
  private(set) var path: String
  /// What the file and its name said when it was opened; nil for one that is new or unreadable.
  let found: UInt64?
  private(set) var written: UInt64
  private(set) var isSynced = true

  /// Opens the floor of a state folder; of several, as where an older one was laid over it, the greatest, and erases the others.
  init(_ folder: StateFolder) throws(StoreError) {
    var greatest: (path: String, epoch: UInt64?)?
    for path in folder.floors {
      let epoch = try Self.epoch(in: path, of: folder)
      guard let other = greatest else {
        greatest = (path, epoch)
        continue
      }
      let isGreater = (epoch ?? 0, path) > (other.epoch ?? 0, other.path)
      unlink(isGreater ? other.path : path)
      if isGreater { greatest = (path, epoch) }
    }
    file = try StateFile(path: greatest?.path ?? folder.floor)
    path = greatest?.path ?? folder.floor
    found = greatest?.epoch
    written = greatest?.epoch ?? 0
    self.folder = folder
  }

  /// What a floor file says, or its name.
  private static func epoch(in path: String, of folder: StateFolder) throws(StoreError) -> UInt64? {
    let text = String(decoding: try StateFile(path: path).read(64), as: UTF8.self)
    let said = text.hasPrefix(header) ? text.dropFirst(header.count).prefix(while: { $0 != "\n" }) : ""
    let named = path.dropFirst(folder.floor.count + 1)
    return [said, named].compactMap { $0.utf8.count == 16 ? UInt64($0, radix: 16) : nil }.max()
  }

  var identity: Identity {
    var facts = clinux_file_identity()
    guard clinux_file_identity(file.number, &facts) == 0 else { return Identity(inode: 0, born: 0) }
    let born = facts.birth_seconds &* 1_000_000_000 &+ Int64(facts.birth_nanoseconds)
    return Identity(inode: Int64(bitPattern: facts.inode), born: born)
  }

  /// Notes a new greatest epoch. A file that cannot be written now is written with the next one.
  mutating func raise(to epoch: UInt64) {
    guard epoch > written || found == nil && epoch == written else { return }
    let digits = String(epoch, radix: 16)
    let name = String(repeating: "0", count: 16 - digits.utf8.count) + digits
    let isWritten = file.write(Array((Self.header + name + "\n").utf8))
    let isNamed = rename(path, folder.floor(name)) == 0
    if isNamed { path = folder.floor(name) }
    // Either of them says it; without its name it is not told from one that was overwritten.
    guard isWritten, isNamed else { return }
    written = epoch
    isSynced = false
  }

  mutating func sync() {
    guard !isSynced, file.sync() else { return }
    isSynced = (try? folder.sync()) != nil
  }
}
