import CLinux
import Glibc
import Monitor
import PhotoModel
import Synchronization

/// The greatest durable epoch, kept outside the database. It reveals that the database was replaced
/// by an older copy, with which revoked rights would come back.
///
/// It is written after each commit that raises the epoch, before the commit is acknowledged. A
/// second later another thread syncs its name. After a power failure it may be behind the database,
/// never ahead, so it raises no false alarm.
///
/// The database knows its floor file by inode and birth time, which reveals a folder that was
/// restored as a whole. The epoch is also in the file's name. A backup that is copied over the
/// folder overwrites files in place and keeps their inodes, but its older floor has another name. A
/// file system that was itself reset to a snapshot cannot be recognised.
struct EpochFloor: ~Copyable {
  /// Inode and birth time of a floor file, in nanoseconds since 1970; 0 if the file system records
  /// none.
  struct Identity: Equatable {
    var inode: Int64
    var born: Int64
  }

  private static let header = "photobroker epoch floor 1\n"
  private let folder: StateFolder
  private let file: StateFile
  private(set) var path: String
  /// The epoch that was read at opening; nil for a new or unreadable file.
  let found: UInt64?
  private(set) var written: UInt64
  private let synced: Synced

  /// The synced epoch, shared by the store's thread and the thread that syncs.
  private final class Synced: Sendable {
    let epoch: Mutex<UInt64?>
    let isUnderWay = Atomic<Bool>(false)
    private let sync: @Sendable () -> Bool

    init(_ epoch: UInt64?, sync: @escaping @Sendable () -> Bool) {
      self.epoch = Mutex(epoch)
      self.sync = sync
    }

    /// Makes the file's name durable, which suffices to read the epoch.
    func raise(to named: UInt64) {
      guard sync() else { return }
      epoch.withLock { $0 = max($0 ?? 0, named) }
    }
  }

  /// Opens the floor of a state folder. Several floors, as after a backup was copied over the
  /// folder, are reduced to the greatest.
  /// - Parameter sync: makes the names in the folder durable; nil: by fsync of the folder.
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

  /// The greater epoch of a floor file's content and its name.
  private static func epoch(in path: String, of folder: StateFolder) throws(StoreError) -> UInt64? {
    let text = String(decoding: try StateFile(path: path).read(64), as: UTF8.self)
    let said = text.hasPrefix(header) ? text.dropFirst(header.count).prefix(while: { $0 != "\n" }) : ""
    let named = path.dropFirst(folder.floor.count + 1)
    return [said, named].compactMap { Hex.number($0) }.max()
  }

  var identity: Identity {
    var facts = clinux_file_identity()
    guard clinux_file_identity(file.number, &facts) == 0 else { return Identity(inode: 0, born: 0) }
    let born = facts.birth_seconds &* 1_000_000_000 &+ Int64(facts.birth_nanoseconds)
    return Identity(inode: Int64(bitPattern: facts.inode), born: born)
  }

  /// Records a new greatest epoch. If the write fails, the next call tries again.
  mutating func raise(to epoch: UInt64) {
    guard epoch > written || found == nil && epoch == written else { return }
    let name = Hex.text(epoch)
    let isWritten = file.write(Array((Self.header + name + "\n").utf8))
    let isNamed = rename(path, folder.floor(name)) == 0
    if isNamed { path = folder.floor(name) }
    // Content and name both hold the epoch, but only the name reveals that an older floor overwrote
    // this one.
    if isWritten, isNamed { written = epoch }
  }

  var isSynced: Bool { synced.epoch.withLock { $0 == written } }

  func sync() {
    if !isSynced { synced.raise(to: written) }
  }

  /// Syncs on another thread, so that no commit waits for it. Does nothing during an earlier sync.
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
