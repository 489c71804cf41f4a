import CLinux
import Glibc

/// The greatest epoch that was ever made durable, kept outside the database, so that an older copy of the database that
/// somebody puts back is recognised: otherwise rights that were taken away since would come back with it.
///
/// It is written after each commit that raises the epoch and synced within a second. After a power failure it may be a
/// little behind the database, never ahead, so it raises no false alarm. The database knows its floor file by inode and
/// time of birth: a folder that came back from a backup whole, floor included, is recognised too. What cannot be
/// recognised is a file system that was itself set back to a snapshot.
struct EpochFloor: ~Copyable {
  /// Inode and birth (nanoseconds since 1970, 0 where the file system has none) of a floor file.
  struct Identity: Equatable {
    var inode: Int64
    var born: Int64
  }

  private static let header = "photobroker epoch floor 1\n"
  private let file: StateFile
  /// What the file said when it was opened; nil for one that is new or unreadable.
  let found: UInt64?
  private(set) var written: UInt64
  private(set) var isSynced = true

  init(_ folder: StateFolder) throws(StoreError) {
    file = try StateFile(path: folder.floor)
    let text = String(decoding: file.read(64), as: UTF8.self)
    let digits = text.hasPrefix(Self.header) ? text.dropFirst(Self.header.count).prefix(while: { $0 != "\n" }) : ""
    found = digits.utf8.count == 16 ? UInt64(digits, radix: 16) : nil
    written = found ?? 0
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
    let line = Self.header + String(repeating: "0", count: 16 - digits.utf8.count) + digits + "\n"
    guard file.write(Array(line.utf8)) else { return }
    written = epoch
    isSynced = false
  }

  mutating func sync() {
    if !isSynced { isSynced = file.sync() }
  }
}
