import CDirectoryStorage
import Glibc
import PluginKit

/// Watches a folder and all below it with inotify. It tells that something changed, not what: the next walk finds that out,
/// so a lost event costs nothing but a walk.
final class Watcher {
  enum Outcome { case changed, nothing, broken }

  /// After an event, how long to wait for more of them: a copied folder is one change.
  static let settleMilliseconds: Int32 = 150

  private static let events = UInt32(
    IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB | IN_ONLYDIR
      | IN_DONT_FOLLOW | IN_EXCL_UNLINK)

  private let queue: Int32
  private let root: String
  private let oneFileSystem: Bool

  /// Nil where watches are exhausted or not to be had.
  init?(root: String, oneFileSystem: Bool) {
    queue = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    self.root = root
    self.oneFileSystem = oneFileSystem
    guard queue >= 0 else { return nil }
    guard addAll() else { return nil }
  }

  deinit { if queue >= 0 { close(queue) } }

  /// Why this folder cannot be watched, in words; nil where it can.
  static func obstacle(_ folder: Folder) -> String? {
    // Changes that other machines or user-space file systems make are not told to inotify.
    let kinds: [Int: String] = [
      0x6969: "an NFS file system", 0xff53_4d42: "a CIFS file system", 0xfe53_4d42: "an SMB file system", 0x6573_5546: "a FUSE file system",
      0x0102_1997: "a 9P file system", 0x00c3_6400: "a Ceph file system",
    ]
    if let kind = kinds[directory_file_system(folder.descriptor)] { return "The folder is on \(kind), which tells of no changes" }
    let probe = inotify_init1(Int32(IN_CLOEXEC))
    guard probe >= 0 else { return "The system has no watch left" }
    close(probe)
    return nil
  }

  func wait(milliseconds: Int) -> Outcome {
    var poll = pollfd(fd: queue, events: Int16(POLLIN), revents: 0)
    guard Glibc.poll(&poll, 1, Int32(clamping: milliseconds)) > 0 else { return .nothing }
    var changed = false
    repeat {
      guard let (some, needsWatches) = drain() else { return .broken }
      changed = changed || some
      if needsWatches, !addAll() { return .broken }
    } while Glibc.poll(&poll, 1, Self.settleMilliseconds) > 0
    return changed ? .changed : .nothing
  }

  /// Reads what is queued: whether it concerns us, and whether folders came. Nil: events were lost, or the root is gone.
  private func drain() -> (changed: Bool, needsWatches: Bool)? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var changed = false
    var needsWatches = false
    while true {
      let count = read(queue, &buffer, buffer.count)
      guard count > 0 else { return (changed, needsWatches) }
      var offset = 0
      let header = MemoryLayout<inotify_event>.size
      while offset + header <= count {
        let event = buffer.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: inotify_event.self) }
        let isHidden = event.len > 0 && buffer[offset + header] == UInt8(ascii: ".")
        offset += header + Int(event.len)
        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return nil }
        guard !isHidden else { continue }
        changed = true
        if event.mask & UInt32(IN_ISDIR) != 0, event.mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0 { needsWatches = true }
      }
    }
  }

  /// Watching a folder twice is watching it once.
  private func addAll() -> Bool {
    guard let folder = try? Folder(path: root), let facts = folder.look(".") else { return false }
    return add(folder, path: root, device: facts.device, depth: 0)
  }

  private func add(_ folder: Folder, path: String, device: UInt64, depth: Int) -> Bool {
    guard inotify_add_watch(queue, path, Self.events) >= 0 else { return errno == EACCES || errno == ENOENT || errno == ENOTDIR }
    guard depth < Walk.depthLimit, let names = try? folder.names() else { return true }
    for name in names {
      guard let facts = folder.look(name), facts.mode & UInt32(S_IFMT) == UInt32(S_IFDIR) else { continue }
      guard !oneFileSystem || facts.device == device, let below = try? folder.folder(name) else { continue }
      guard add(below, path: "\(path)/\(name)", device: device, depth: depth + 1) else { return false }
    }
    return true
  }
}
