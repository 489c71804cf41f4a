import CDirectoryStorage
import Glibc
import PhotoModel
import PluginKit

/// Watches a folder tree with inotify. It reports folders with changes; the next scan finds the
/// changes themselves, so a lost event costs a scan and no photo.
final class Watcher {
  enum Outcome: Equatable {
    case nothing, broken
    /// The kernel's queue overflowed and events were lost. A new watcher is needed.
    case overflowed
    case changed([StorageFolder])
  }

  /// The reason why no watcher exists.
  enum Obstacle: Error, Equatable {
    /// The folder cannot be reached now.
    case absent
    /// A reason in words for the owner.
    case reason(String)
  }

  /// Delay after an event, in which more events are collected: a copied folder is one change.
  static let settleMilliseconds: Int32 = 150
  /// Maximum number of these delays, so that a file that changes all the time does not delay all
  /// others.
  static let settleRounds = 20

  private static let events = UInt32(
    IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB
      | IN_ONLYDIR
      | IN_EXCL_UNLINK)

  private let queue: Int32
  private let root: String
  private let identity: FolderIdentity?
  private let settings: WalkSettings
  private let mounts: Mounts
  private var rootWatch: Int32 = -1
  private var rootDevice: UInt64 = 0
  private var rootInode: UInt64 = 0
  /// Path of each watched folder.
  private var places: [Int32: String] = [:]
  private var arrivals = Arrivals()
  /// Maximum number of watched folders. The system has a limit of its own.
  private let limit: Int

  /// - Throws: ``Obstacle``, if watches are exhausted or not available.
  init(root: String, identity: FolderIdentity?, settings: WalkSettings, limit: Int = .max) throws(Obstacle) {
    self.root = root
    self.identity = identity
    self.settings = settings
    self.limit = limit
    mounts = Mounts(root: root)
    queue = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard queue >= 0 else { throw .reason("The limit of watches is reached (fs.inotify.max_user_instances)") }
    guard let folder = try? Folder(path: root, identity: identity) else { throw .absent }
    try watchAll(folder)
  }

  deinit { if queue >= 0 { close(queue) } }

  /// The reason why this folder reports no changes; nil if it reports them.
  /// - Parameter place: the path below the served folder.
  static func obstacle(_ folder: Folder, place: String = "") -> String? {
    silent[directory_file_system(folder.descriptor)].map {
      "\(place.isEmpty ? "The folder" : "Folder \"\(place)\"") is on \($0) file system, which reports no changes"
    }
  }

  /// File systems that report no changes, or none by other machines, by magic number. Source:
  /// linux/magic.h and the file systems' own sources.
  private static let silent: [Int: String] = [
    0x6969: "an NFS", 0xff53_4d42: "a CIFS", 0xfe53_4d42: "an SMB", 0x6573_5546: "a FUSE", 0x0102_1997: "a 9P",
    0x00c3_6400: "a Ceph",
    0x786f_4256: "a VirtualBox", 0x5346_414f: "an AFS", 0x6b41_4653: "an AFS", 0x7375_7245: "a Coda",
    0x0bd0_0bd0: "a Lustre",
    0x0116_1970: "a GFS2", 0x7461_636f: "an OCFS2", 0x4750_4653: "a GPFS",
  ]

  func wait(milliseconds: Int) -> Outcome {
    var polled = [
      pollfd(fd: queue, events: Int16(POLLIN), revents: 0),
      pollfd(fd: mounts.descriptor, events: Int16(POLLPRI), revents: 0),
    ]
    let ready = Glibc.poll(&polled, 2, Int32(clamping: min(milliseconds, arrivals.milliseconds(from: .now))))
    if polled[1].revents != 0, mounts.haveChanged() { return .broken }
    guard isRootInPlace else { return .broken }
    var changed: Set<StorageFolder> = []
    for _ in 0..<Self.settleRounds where ready > 0 && polled[0].revents != 0 {
      var found = Found()
      guard drain(&found) else { return found.isIncomplete ? .overflowed : .broken }
      changed.formUnion(found.changed)
      for place in found.unwatched.map(\.text).sorted() { guard watchBelow(place) else { return .broken } }
      guard Glibc.poll(&polled, 1, Self.settleMilliseconds) > 0 else { break }
    }
    if !arrivals.isEmpty, let folder = try? Folder(path: root, identity: identity) {
      changed.formUnion(arrivals.takeWhole(below: folder, now: .now).map { StorageFolder(path: $0, isDeep: false) })
    }
    let folders = StorageFolder.reduced(changed)
    return folders.isEmpty ? .nothing : .changed(folders)
  }

  /// Whether the path still leads to the watched folder. A disk may have been mounted over it or
  /// unmounted.
  private var isRootInPlace: Bool {
    guard let folder = try? Folder(path: root, identity: identity), case .success(let facts) = folder.look(".") else {
      return false
    }
    return facts.device == rootDevice && facts.inode == rootInode
  }

  private struct Found {
    var changed: Set<StorageFolder> = []
    /// Folders that appeared or disappeared.
    var unwatched: Set<ExactText> = []
    /// The kernel's queue overflowed.
    var isIncomplete = false
  }

  /// Reads all queued events. False if events were lost or the root is gone.
  private func drain(_ found: inout Found) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(queue, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return true }
      let header = MemoryLayout<inotify_event>.size
      var offset = 0
      while offset + header <= count {
        let event = buffer.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: inotify_event.self) }
        let end = min(offset + header + Int(event.len), count)
        let name = buffer[(offset + header)..<end].prefix { $0 != 0 }
        offset = end
        guard note(event, name: name, in: &found) else { return false }
      }
    }
  }

  private func note(_ event: inotify_event, name: ArraySlice<UInt8>, in found: inout Found) -> Bool {
    let mask = Int32(truncatingIfNeeded: event.mask)
    if mask & IN_Q_OVERFLOW != 0 { found.isIncomplete = true }
    if mask & (IN_Q_OVERFLOW | IN_UNMOUNT) != 0 { return false }
    if mask & (IN_DELETE_SELF | IN_MOVE_SELF) != 0 { return event.wd != rootWatch }
    if mask & IN_IGNORED != 0 {
      places[event.wd] = nil
      return true
    }
    // The watch was removed: its folder moved and is scanned at its new path.
    guard let folder = places[event.wd] else { return true }
    let text = String(decoding: name, as: UTF8.self)
    guard !text.isEmpty, !settings.ignores(text) else { return true }
    if mask & IN_ISDIR != 0 {
      let place = folder.isEmpty ? text : "\(folder)/\(text)"
      found.changed.insert(StorageFolder(path: place, isDeep: true))
      if mask & (IN_MOVED_FROM | IN_DELETE) != 0 { giveUp(below: place) }
      // Also for a folder that left: another one may be in its place already, for instance after an
      // exchange.
      found.unwatched.insert(ExactText(place))
    } else if mask & IN_CREATE != 0 {
      // A file counts once it is complete: at IN_CLOSE_WRITE. A link sends no such event.
      arrivals.note(text, in: folder, now: .now)
    } else if mask & IN_ATTRIB == 0 || !arrivals.contains(text, in: folder) {
      arrivals.forget(text, in: folder)
      found.changed.insert(StorageFolder(path: folder, isDeep: false))
    }
    return true
  }

  private func giveUp(below place: String) {
    let gone = StorageFolder(path: place, isDeep: true)
    for (number, folder) in places where gone.contains(folder) {
      inotify_rm_watch(queue, number)
      places[number] = nil
    }
  }

  /// Watches a new folder tree. inotify ignores a second watch of the same folder.
  private func watchBelow(_ place: String) -> Bool {
    guard let root = try? Folder(path: root, identity: identity), let path = try? RelativePath(place),
      path.components.count <= Walk.depthLimit
    else { return false }
    var folder = root
    for name in path.components {
      guard let child = watchable(name, in: folder) else { return true }
      folder = child
    }
    return (try? watch(folder, place: place, depth: path.components.count)) != nil
  }

  /// Opens a subfolder; nil if it is gone, unreadable, or not scanned.
  private func watchable(_ name: String, in folder: Folder) -> Folder? {
    guard case .success(let facts) = folder.look(name), facts.isFolder,
      !settings.oneFileSystem || facts.device == rootDevice
    else { return nil }
    return (try? folder.child(name)) ?? nil
  }

  private func watchAll(_ folder: Folder) throws(Obstacle) {
    guard case .success(let facts) = folder.look(".") else { throw .absent }
    rootDevice = facts.device
    rootInode = facts.inode
    rootWatch = try watch(folder, place: "", depth: 0)
  }

  @discardableResult
  private func watch(_ folder: Folder, place: String, depth: Int) throws(Obstacle) -> Int32 {
    if let reason = Self.obstacle(folder, place: place) { throw .reason(reason) }
    // By descriptor: the path may exceed PATH_MAX, and names can be swapped meanwhile.
    let isFree = places.count < limit
    let number = isFree ? inotify_add_watch(queue, "/proc/self/fd/\(folder.descriptor)", Self.events) : -1
    guard number >= 0 else {
      let cause = isFree ? errno : ENOSPC
      // A folder that is unreadable, or gone again, has no changes to report.
      let isGone = cause == ENOENT && access("/proc/self/fd", F_OK) == 0
      guard cause == EACCES || (isGone && depth > 0) else {
        throw isGone
          ? .absent
          : .reason(
            "The limit of watched folders is reached (fs.inotify.max_user_watches, \(String(cString: strerror(cause))))"
          )
      }
      return -1
    }
    places[number] = place
    guard depth < Walk.depthLimit, let names = try? folder.folderNames() else { return number }
    for name in names where !settings.ignores(name) {
      guard let child = watchable(name, in: folder) else { continue }
      try watch(child, place: place.isEmpty ? name : "\(place)/\(name)", depth: depth + 1)
    }
    return number
  }
}
