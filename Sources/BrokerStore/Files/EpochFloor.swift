import CLinux
import Glibc
import Monitor
import Synchronization

/// The greatest epoch that was ever made durable, kept outside the database, so that an older copy
/// of the database that somebody puts back is recognised: otherwise rights that were taken away
/// since would come back with it.
///
/// It is written after each commit that raises the epoch, before its acknowledgement. A second
/// later a thread beside the store's syncs its name. After a power failure it may be a little
/// behind the database, never ahead, so it raises no false alarm. The database knows its floor file
/// by inode and time of birth: a folder that came back from a backup whole, floor included, is
/// recognised too. The epoch is in the file's name as well as in it: a backup that is laid over the
/// folder overwrites what has a name of its own, and keeps its inode, but does not bring an older
/// name back with it. What cannot be recognised is a file system that was itself set back to a
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
  private let synced: Synced

  /// The epoch that the disk has, known to the store's thread and to the one that syncs.
  private final class Synced: Sendable {
    let epoch: Mutex<UInt64?>
    let isUnderWay = Atomic<Bool>(false)
    private let sync: @Sendable () -> Bool

    init(_ epoch: UInt64?, sync: @escaping @Sendable () -> Bool) {
      self.epoch = Mutex(epoch)
      self.sync = sync
    }

    /// Makes the file's name durable, which tells the epoch without the file's bytes.
    func raise(to named: UInt64) {
      guard sync() else { return }
      epoch.withLock { $0 = max($0 ?? 0, named) }
    }
  }

  /// Opens the floor of a state folder; of several, as where an older one was laid over it, the
  /// greatest, and erases the others.
  /// - Parameter sync: makes the names in the folder durable; nil: by its fsync.
  init(_ folder: StateFolder, sync: (@Sendable () -> Bool)? = nil) throws(StoreError) {
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
    synced = Synced(found, sync: sync ?? { (try? folder.sync()) != nil })
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
    if isWritten, isNamed { written = epoch }
  }

  var isSynced: Bool { synced.epoch.withLock { $0 == written } }

  func sync() {
    if !isSynced { synced.raise(to: written) }
  }

  /// Has another thread sync, so that no commit waits for it. Does nothing while an earlier one goes on.
  func syncAside() {
    guard !isSynced, !synced.isUnderWay.exchange(true, ordering: .acquiringAndReleasing) else { return }
    let (synced, written) = (synced, written)
    let isStarted = DetachedThread.start {
      synced.raise(to: written)
      synced.isUnderWay.store(false, ordering: .releasing)
    }
    if !isStarted { synced.isUnderWay.store(false, ordering: .releasing) }
  }
}
