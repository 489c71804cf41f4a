import CLinux
import Glibc
package import UnixSocket

/// The files that a child may use, within its user's rights: it reads and runs everything outside
/// hidden folders, and writes where allowed.
///
/// Landlock only has rules that allow. So there are rules for the siblings of hidden folders, and
/// of each folder above them, as they are at the child's start. New siblings are out of reach until
/// a restart; changes and mounts further down are in reach at once.
package struct FileReach: Sendable {
  /// An absolute path to a folder in which the child can open nothing. Nil for none.
  package var hidden: String?
  /// More hidden folders; missing ones are ignored at the start.
  package var alsoHidden: [String] = []
  /// Files and folders inside hidden ones that are readable nevertheless.
  package var readable: [String] = []
  /// Writable files and folders, even inside hidden ones.
  package var writable: [String] = []
  /// Folders that the child works on. They are writable, even if a folder above cannot be listed or
  /// is remote. A path inside a hidden folder is ignored. If a path contains a hidden folder, the
  /// child reaches that folder's siblings and can list names. For "/" it can only list names.
  package var wanted: [String] = []
  /// The expected identity of a wanted path, if known. ``FileIdentity/none``: no folder is
  /// expected, and nothing there is in reach.
  package var pinned: [String: FileIdentity] = [:]

  package init(hidden: String? = nil) { self.hidden = hidden }

  /// Whether this kernel has Landlock.
  package static let isSupported: Bool = {
    let ruleset = clinux_ruleset()
    if ruleset >= 0 { close(ruleset) }
    return ruleset >= 0
  }()

  private static let devices = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"]

  /// The rules for a child's start; nil on a kernel without Landlock.
  ///
  /// - Throws: `startFailed` if the hidden folder is missing, a pinned path leads to another
  ///   folder, or descriptors are exhausted.
  func ruleset() throws(SupervisorError) -> SharedDescriptors? {
    guard Self.isSupported else { return nil }
    let number = clinux_ruleset()
    guard number >= 0 else { throw .startFailed("making its Landlock rules", cause: -number) }
    let ruleset = FileDescriptor(owning: number)
    let all = try allHidden()
    let remote = RemoteMounts.current()
    if all.isEmpty { Self.allow("/", CLINUX_REACH_READ, number) }
    Self.allowWhatIsBeside(all, below: "/", CLINUX_REACH_READ, unless: remote, number)
    for path in readable { Self.allow(path, CLINUX_REACH_READ, number) }
    for path in Self.devices + writable { Self.allow(path, CLINUX_REACH_ALL, number) }
    for path in wanted { try Self.allowWanted(path, as: pinned[path], unlessIn: all, remote, number) }
    return SharedDescriptors(ruleset)
  }

  /// Returns a function that tells whether a new mount at a place is in reach only after a restart.
  /// This is so beside hidden folders, and at or above wanted ones; mounts further below are in
  /// reach at once.
  package func dependence() -> (_ place: String) -> Bool {
    guard let all = try? allHidden() else { return { _ in true } }
    return { [wanted] place in
      let folder = place.lastIndex(of: "/").map { place[..<max($0, place.index(after: place.startIndex))] } ?? "/"
      return all.contains { Self.isSame($0, orInside: String(folder)) }
        || wanted.contains { Self.isSame($0, orInside: place) }
    }
  }

  private func allHidden() throws(SupervisorError) -> [String] {
    guard let hidden else { return alsoHidden.compactMap { Self.resolved($0) } }
    guard let found = Self.resolved(hidden) else {
      throw .startFailed("finding a folder that it must not see", cause: errno)
    }
    return [found] + alsoHidden.compactMap { Self.resolved($0) }
  }

  private static func allowWanted(
    _ path: String, as pinned: FileIdentity?, unlessIn hidden: [String], _ remote: RemoteMounts, _ ruleset: Int32
  ) throws(SupervisorError) {
    if pinned == FileIdentity.none { return }
    // Opened before the check, because a link on the path may change at any time.
    let place = clinux_open_place(path)
    defer { if place >= 0 { close(place) } }
    if let pinned, place < 0 || FileIdentity(of: place) != pinned {
      throw .startFailed(
        "finding its library's folder, which is missing or was replaced", cause: ESTALE)
    }
    guard place >= 0 else { return }
    guard let real = Self.path(of: place), !hidden.contains(where: { isSame(real, orInside: $0) }) else { return }
    let within = hidden.filter { isSame($0, orInside: real) }
    guard real != "/", within.isEmpty else {
      _ = clinux_ruleset_allow(ruleset, place, CLINUX_REACH_LIST)
      if real != "/" { allowWhatIsBeside(within, below: real, CLINUX_REACH_ALL, unless: remote, ruleset) }
      return
    }
    _ = clinux_ruleset_allow(ruleset, place, CLINUX_REACH_ALL)
  }

  /// Adds rules for all entries of the folders from `folder` down, except those on the way to a
  /// hidden one.
  private static func allowWhatIsBeside(
    _ hidden: [String], below folder: String, _ reach: clinux_reach, unless remote: RemoteMounts, _ ruleset: Int32
  ) {
    guard !hidden.isEmpty else { return }
    let parent = clinux_open_place(folder)
    guard parent >= 0 else { return }
    defer { close(parent) }
    // If a folder cannot be listed, its entries are out of reach. A link's target has a rule of its
    // own.
    for name in FolderListing.names(in: folder, withLinks: false) ?? [] {
      let place = path(folder, name)
      let within = hidden.filter { isSame($0, orInside: place) }
      if within.isEmpty {
        allow(name, at: place, in: parent, reach, unless: remote, ruleset)
      } else if !within.contains(where: { isSame(place, orInside: $0) }) {
        allowWhatIsBeside(within, below: place, reach, unless: remote, ruleset)
      }
    }
  }

  private static func allow(
    _ name: String, at path: String, in parent: Int32, _ reach: clinux_reach, unless remote: RemoteMounts,
    _ ruleset: Int32
  ) {
    let place = clinux_open_entry(parent, name)
    // Opening a mount of a dead server would block.
    guard place != -EXDEV else { return remote.contains(path) ? () : allow(path, reach, ruleset) }
    guard place >= 0 else { return }
    _ = clinux_ruleset_allow(ruleset, place, reach)
    close(place)
  }

  /// Missing or unreadable places get no rule.
  private static func allow(_ path: String, _ reach: clinux_reach, _ ruleset: Int32) {
    let place = clinux_open_place(path)
    guard place >= 0 else { return }
    _ = clinux_ruleset_allow(ruleset, place, reach)
    close(place)
  }

  private static func path(_ folder: String, _ name: String) -> String {
    folder == "/" ? "/\(name)" : "\(folder)/\(name)"
  }

  private static func resolved(_ path: String) -> String? {
    guard path.hasPrefix("/"), let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// The current path of an open file, as the kernel knows it.
  private static func path(of place: Int32) -> String? {
    withUnsafeTemporaryAllocation(byteCount: Int(PATH_MAX), alignment: 1) { buffer in
      guard let text = buffer.baseAddress else { return nil }
      let count = readlink("/proc/self/fd/\(place)", text.assumingMemoryBound(to: CChar.self), buffer.count)
      // A path that fills the buffer may be cut off.
      guard count > 0, count < buffer.count else { return nil }
      return String(decoding: buffer[..<count], as: UTF8.self)
    }
  }

  /// Compares bytes, as the kernel does.
  private static func isSame(_ path: String, orInside folder: String) -> Bool {
    guard path.utf8.starts(with: folder.utf8) else { return false }
    let rest = path.utf8.dropFirst(folder.utf8.count)
    return rest.isEmpty || folder == "/" || rest.first == UInt8(ascii: "/")
  }
}
