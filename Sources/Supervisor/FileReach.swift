import CLinux
import Glibc
package import UnixSocket

/// What a child may do with files, of what its user may: read and run all that is not in a hidden
/// folder, and write where it is told to.
///
/// By Landlock, which knows only what is allowed: what lies beside a hidden folder, and beside each
/// folder above it, when the child is started. Whatever appears at these very places later is out
/// of reach until the child is started anew; what is made or mounted further down is not.
package struct FileReach: Sendable {
  /// Absolute; a child in which nothing can be opened. Nil: none.
  package var hidden: String?
  /// Other folders of the same kind; those that are not there when the child is started are passed over.
  package var alsoHidden: [String] = []
  /// Files and folders inside of hidden ones that may be read and run all the same.
  package var readable: [String] = []
  /// Files and folders that may be written as well, hidden ones too.
  package var writable: [String] = []
  /// What the child is there for: it may be written, and is within reach also where a folder above
  /// it cannot be listed, or lies on another machine. What is inside of a hidden folder is passed
  /// over; of what has one inside only what lies beside that, and names can be listed, the hidden
  /// ones' among them. Of "/" nothing but names.
  package var wanted: [String] = []
  /// Which folder such a path is to lead to, for those where that is known; ``FileIdentity/none``:
  /// none, and nothing there is within reach.
  package var pinned: [String: FileIdentity] = [:]

  package init(hidden: String? = nil) { self.hidden = hidden }

  /// Whether this kernel can keep files from a child.
  package static let isSupported: Bool = {
    let ruleset = clinux_ruleset()
    if ruleset >= 0 { close(ruleset) }
    return ruleset >= 0
  }()

  /// What every program may write to.
  private static let devices = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"]

  /// The rules for a child's start. Nil where the kernel has no Landlock.
  /// - Throws: `startFailed`: the hidden folder is not there, another folder is where a pinned one
  ///   was, or descriptors are exhausted.
  func ruleset() throws(SupervisorError) -> SharedDescriptors? {
    guard Self.isSupported else { return nil }
    let number = clinux_ruleset()
    guard number >= 0 else { throw .startFailed("making rules for it", cause: -number) }
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

  /// Tells of a place whether what is mounted there gets within reach by rules of its own only,
  /// which are those of a child that is started after that: beside what is hidden, and at or above
  /// what a child is there for. Below any of them it is within reach at once.
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
      throw .startFailed("finding the folder that is kept from it", cause: errno)
    }
    return [found] + alsoHidden.compactMap { Self.resolved($0) }
  }

  private static func allowWanted(
    _ path: String, as pinned: FileIdentity?, unlessIn hidden: [String], _ remote: RemoteMounts, _ ruleset: Int32
  ) throws(SupervisorError) {
    if pinned == FileIdentity.none { return }
    // Opened first and looked at then: a link on the way may be changed at any time.
    let place = clinux_open_place(path)
    defer { if place >= 0 { close(place) } }
    if let pinned, place < 0 || FileIdentity(of: place) != pinned {
      throw .startFailed(
        "finding the folder that it is for, which is away or has another one in its place", cause: ESTALE)
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

  /// All entries of all folders from one down, but those that lead to a hidden one.
  private static func allowWhatIsBeside(
    _ hidden: [String], below folder: String, _ reach: clinux_reach, unless remote: RemoteMounts, _ ruleset: Int32
  ) {
    guard !hidden.isEmpty else { return }
    // Where it cannot be listed, nothing beside is within reach.
    for name in entries(of: folder) {
      let place = path(folder, name)
      let within = hidden.filter { isSame($0, orInside: place) }
      if within.isEmpty {
        allow(name, in: folder, reach, unless: remote, ruleset)
      } else if !within.contains(where: { isSame(place, orInside: $0) }) {
        allowWhatIsBeside(within, below: place, reach, unless: remote, ruleset)
      }
    }
  }

  private static func allow(
    _ name: String, in folder: String, _ reach: clinux_reach, unless remote: RemoteMounts, _ ruleset: Int32
  ) {
    let parent = clinux_open_place(folder)
    guard parent >= 0 else { return }
    defer { close(parent) }
    let place = clinux_open_entry(parent, name)
    // A dead server would hold up whoever opens what is mounted from it.
    guard place != -EXDEV else {
      let path = path(folder, name)
      return remote.contains(path) ? () : allow(path, reach, ruleset)
    }
    guard place >= 0 else { return }
    _ = clinux_ruleset_allow(ruleset, place, reach)
    close(place)
  }

  /// What cannot be opened or has gone is not within reach.
  private static func allow(_ path: String, _ reach: clinux_reach, _ ruleset: Int32) {
    let place = clinux_open_place(path)
    guard place >= 0 else { return }
    _ = clinux_ruleset_allow(ruleset, place, reach)
    close(place)
  }

  private static func path(_ folder: String, _ name: String) -> String {
    folder == "/" ? "/\(name)" : "\(folder)/\(name)"
  }

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
