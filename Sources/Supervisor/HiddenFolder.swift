import CLinux
import Glibc
import UnixSocket

/// A folder that a child cannot open anything in, whatever its user may do there; everything else it may.
///
/// By Landlock, which knows only what is allowed: what lies beside the folder, and beside each folder above it, when the child
/// is started. Whatever appears at these very places later is out of reach until the child is started anew; what is made or
/// mounted further down is not.
package struct HiddenFolder: Sendable {
  /// Absolute.
  package var path: String
  /// Other folders of the same kind; those that are not there when the child is started are passed over.
  package var others: [String] = []
  /// Files and folders inside of it that may be read and run all the same.
  package var readable: [String] = []
  /// Files and folders inside of it that may be used all the same.
  package var writable: [String] = []
  /// What the child is there for: within reach also where a folder above it cannot be listed, or lies on another machine. What
  /// is inside of the folder is passed over; of what has it inside names can be listed, those in the folder among them.
  package var wanted: [String] = []

  package init(path: String) { self.path = path }

  /// Whether this kernel can keep a folder from a child.
  package static let isSupported: Bool = {
    let ruleset = clinux_ruleset()
    if ruleset >= 0 { close(ruleset) }
    return ruleset >= 0
  }()

  /// The rules for a child's start. Nil where the kernel has no Landlock.
  /// - Throws: `startFailed`: the folder is not there, or descriptors are exhausted.
  func ruleset() throws(SupervisorError) -> SharedDescriptors? {
    guard Self.isSupported else { return nil }
    let number = clinux_ruleset()
    guard number >= 0 else { throw .startFailed("making rules for it", cause: -number) }
    let ruleset = FileDescriptor(owning: number)
    guard let hidden = Self.resolved(path) else { throw .startFailed("finding the folder that is kept from it", cause: errno) }
    let all = [hidden] + others.compactMap { Self.resolved($0) }
    Self.allowWhatIsBeside(all, below: "/", unless: RemoteMounts.current(), number)
    for path in readable { Self.allow(path, CLINUX_REACH_READ, number) }
    for path in writable { Self.allow(path, CLINUX_REACH_ALL, number) }
    for path in wanted {
      // Opened first and looked at then: a link on the way may be changed at any time.
      let place = clinux_open_place(path)
      guard place >= 0 else { continue }
      defer { close(place) }
      guard let real = Self.path(of: place), !all.contains(where: { Self.isSame(real, orInside: $0) }) else { continue }
      let holdsOne = all.contains { Self.isSame($0, orInside: real) }
      _ = clinux_ruleset_allow(number, place, holdsOne ? CLINUX_REACH_LIST : CLINUX_REACH_ALL)
    }
    return SharedDescriptors(ruleset)
  }

  /// All entries of all folders from the top down, but those that lead to a hidden one.
  private static func allowWhatIsBeside(_ hidden: [String], below folder: String, unless remote: RemoteMounts, _ ruleset: Int32) {
    // Where it cannot be listed, nothing beside is within reach.
    for name in entries(of: folder) {
      let place = path(folder, name)
      let within = hidden.filter { isSame($0, orInside: place) }
      if within.isEmpty {
        allow(name, in: folder, unless: remote, ruleset)
      } else if !within.contains(where: { isSame(place, orInside: $0) }) {
        allowWhatIsBeside(within, below: place, unless: remote, ruleset)
      }
    }
  }

  private static func allow(_ name: String, in folder: String, unless remote: RemoteMounts, _ ruleset: Int32) {
    let parent = clinux_open_place(folder)
    guard parent >= 0 else { return }
    defer { close(parent) }
    let place = clinux_open_entry(parent, name)
    // A dead server would hold up whoever opens what is mounted from it.
    guard place != -EXDEV else {
      let path = path(folder, name)
      return remote.contains(path) ? () : allow(path, CLINUX_REACH_ALL, ruleset)
    }
    guard place >= 0 else { return }
    _ = clinux_ruleset_allow(ruleset, place, CLINUX_REACH_ALL)
    close(place)
  }

  /// What cannot be opened or has gone is not within reach.
  private static func allow(_ path: String, _ reach: clinux_reach, _ ruleset: Int32) {
    let place = clinux_open_place(path)
    guard place >= 0 else { return }
    _ = clinux_ruleset_allow(ruleset, place, reach)
    close(place)
  }

  private static func path(_ folder: String, _ name: String) -> String { folder == "/" ? "/\(name)" : "\(folder)/\(name)" }

  private static func entries(of folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      // Links lead to what has a rule of its own.
      guard entry.pointee.d_type != UInt8(DT_LNK) else { continue }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  private static func resolved(_ path: String) -> String? {
    guard path.hasPrefix("/"), let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// Where what is open is now, as the kernel knows it.
  private static func path(of place: Int32) -> String? {
    withUnsafeTemporaryAllocation(byteCount: Int(PATH_MAX), alignment: 1) { buffer in
      guard let text = buffer.baseAddress else { return nil }
      let count = readlink("/proc/self/fd/\(place)", text.assumingMemoryBound(to: CChar.self), buffer.count)
      // One that fills the buffer may be cut off.
      guard count > 0, count < buffer.count else { return nil }
      return String(decoding: buffer[..<count], as: UTF8.self)
    }
  }

  /// By bytes, as the kernel compares.
  private static func isSame(_ path: String, orInside folder: String) -> Bool {
    guard path.utf8.starts(with: folder.utf8) else { return false }
    let rest = path.utf8.dropFirst(folder.utf8.count)
    return rest.isEmpty || folder == "/" || rest.first == UInt8(ascii: "/")
  }
}
