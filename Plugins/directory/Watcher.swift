import CDirectoryStorage
import Glibc
import PluginKit

/// Watches a folder and all below it with inotify. It tells that something changed, not what: the next walk finds that out,
/// so a lost event costs nothing but a walk.
final class Watcher {
  enum Outcome: Equatable { case changed, nothing, broken }

  /// Why there is no watcher.
  enum Obstacle: Error, Equatable {
    /// The folder cannot be reached now.
    case absent
    /// In words for the owner.
    case reason(String)
  }

  /// After an event, how long to wait for more of them: a copied folder is one change.
  static let settleMilliseconds: Int32 = 150
  /// How often that is done at most, so that a file which never rests does not hold back all others.
  static let settleRounds = 20

  private static let events = UInt32(
    IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB | IN_ONLYDIR
      | IN_EXCL_UNLINK)

  private let queue: Int32
  private let root: String
  private let settings: WalkSettings
  private var rootWatch: Int32 = -1
  /// How many folders are watched at most; the system has a limit of its own.
  private let limit: Int
  private var watched = 0

  /// - Throws: ``Obstacle``, where watches are exhausted or not to be had.
  init(root: String, settings: WalkSettings, limit: Int = .max) throws(Obstacle) {
    self.root = root
    self.settings = settings
    self.limit = limit
    queue = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard queue >= 0 else { throw .reason("The system has no watch left (fs.inotify.max_user_instances)") }
    guard let folder = try? Folder(path: root) else { throw .absent }
    if let reason = Self.obstacle(folder) { throw .reason(reason) }
    try watchAll(folder)
  }

  deinit { if queue >= 0 { close(queue) } }

  /// Why changes in this folder are never told, in words; nil where they are.
  static func obstacle(_ folder: Folder) -> String? {
    let kinds: [Int: String] = [
      0x6969: "an NFS", 0xff53_4d42: "a CIFS", 0xfe53_4d42: "an SMB", 0x6573_5546: "a FUSE", 0x0102_1997: "a 9P", 0x00c3_6400: "a Ceph",
    ]
    return kinds[directory_file_system(folder.descriptor)].map { "The folder is on \($0) file system, which tells of no changes" }
  }

  func wait(milliseconds: Int) -> Outcome {
    var poll = pollfd(fd: queue, events: Int16(POLLIN), revents: 0)
    guard Glibc.poll(&poll, 1, Int32(clamping: milliseconds)) > 0 else { return .nothing }
    var changed = false
    for _ in 0..<Self.settleRounds {
      guard let found = drain() else { return .broken }
      changed = changed || found.changed
      if found.needsWatches {
        guard let folder = try? Folder(path: root), (try? watchAll(folder)) != nil else { return .broken }
      }
      guard Glibc.poll(&poll, 1, Self.settleMilliseconds) > 0 else { break }
    }
    return changed ? .changed : .nothing
  }

  /// Reads what is queued: whether it concerns us, and whether folders came. Nil: events were lost, or the root is gone.
  private func drain() -> (changed: Bool, needsWatches: Bool)? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var found = (changed: false, needsWatches: false)
    while true {
      let count = read(queue, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return found }
      let header = MemoryLayout<inotify_event>.size
      var offset = 0
      while offset + header <= count {
        let event = buffer.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: inotify_event.self) }
        let end = min(offset + header + Int(event.len), count)
        let name = buffer[(offset + header)..<end].prefix { $0 != 0 }
        offset = end
        guard note(event, name: name, in: &found) else { return nil }
      }
    }
  }

  private func note(_ event: inotify_event, name: ArraySlice<UInt8>, in found: inout (changed: Bool, needsWatches: Bool)) -> Bool {
    let mask = Int32(truncatingIfNeeded: event.mask)
    if mask & (IN_Q_OVERFLOW | IN_UNMOUNT) != 0 { return false }
    if mask & (IN_DELETE_SELF | IN_MOVE_SELF) != 0 { return event.wd != rootWatch }
    if mask & IN_IGNORED != 0 {
      watched -= 1
      return true
    }
    guard let first = name.first, first != UInt8(ascii: ".") else { return true }
    let text = String(decoding: name, as: UTF8.self)
    guard !settings.ignores(text) else { return true }
    if mask & IN_ISDIR != 0 {
      found.changed = true
      found.needsWatches = found.needsWatches || mask & (IN_CREATE | IN_MOVED_TO) != 0
    } else if mask & IN_CREATE == 0, FileKind(text) != .other {
      // A file counts once it has been written to its end: that is IN_CLOSE_WRITE.
      found.changed = true
    }
    return true
  }

  /// Watching a folder twice is watching it once.
  private func watchAll(_ folder: Folder) throws(Obstacle) {
    guard case .success(let facts) = folder.look(".") else { throw .absent }
    watched = 0
    rootWatch = try watch(folder, device: facts.device, depth: 0)
  }

  @discardableResult
  private func watch(_ folder: Folder, device: UInt64, depth: Int) throws(Obstacle) -> Int32 {
    // By descriptor: the path may be longer than a path can be, and names can be swapped while we look.
    let number = watched < limit ? inotify_add_watch(queue, "/proc/self/fd/\(folder.descriptor)", Self.events) : -1
    guard number >= 0 else {
      let cause = watched < limit ? errno : ENOSPC
      // A folder that may not be read, or is gone again, has nothing to tell.
      let isGone = cause == ENOENT && access("/proc/self/fd", F_OK) == 0
      guard cause == EACCES || (isGone && depth > 0) else {
        throw isGone
          ? .absent : .reason("More folders than can be watched (fs.inotify.max_user_watches, \(String(cString: strerror(cause))))")
      }
      return -1
    }
    watched += 1
    guard depth < Walk.depthLimit, let names = try? folder.names() else { return number }
    for name in names where !settings.ignores(name) {
      guard case .success(let facts) = folder.look(name), facts.mode & UInt32(S_IFMT) == UInt32(S_IFDIR) else { continue }
      guard !settings.oneFileSystem || facts.device == device, let child = (try? folder.child(name)) ?? nil else { continue }
      try watch(child, device: device, depth: depth + 1)
    }
    return number
  }
}
