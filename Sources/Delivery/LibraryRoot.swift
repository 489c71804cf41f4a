import CLinux
import Glibc
package import UnixSocket

/// The one way from a relative path to an open file of a library.
///
/// The root is one directory, recognised whenever something is opened: a folder or disk that was
/// put in its place is not it. Nothing stays open in between, so that a disk can be taken out at
/// any time. The kernel itself keeps every step below the root (`openat2`), so there is no moment
/// between a check and an opening in which a path can be swapped. Safe to use from several threads.
package final class LibraryRoot: Sendable {
  private let path: String
  private let identity: FileIdentity
  /// It, and the folders that it lies in, up to the file system's root, when they were first looked at.
  package let above: [Ancestor]
  package var lineage: [FileIdentity] { above.map(\.identity) }
  /// Whose directory it was when it was first looked at.
  package let uid: UInt32
  private let owners: [UInt32]
  private let saved: SavedFiles?
  /// Whether files of the broker's user are served that lie directly in it, where it is that user's as well.
  package let isBroad: Bool
  private let resolve: UInt64
  /// Folders whose files are never opened.
  private let closed: [FileIdentity]
  /// Whether the root neither is one of these folders, nor lies in one, nor has one in it. Nothing
  /// is to be served where it is not so.
  package let isApart: Bool

  /// A root, or a folder that it lies in.
  package struct Ancestor: Sendable {
    package let identity: FileIdentity
    let name: String
    package let owner: UInt32
    /// Type and permission bits.
    package let mode: UInt32
  }

  /// Looks at the root itself; here symbolic links are followed, since the administrator named this
  /// path.
  ///
  /// - Parameters:
  ///   - path: An existing directory, absolute.
  ///   - owners: Only files of these users are served: the library's owner, and the broker's user
  ///     where added files are its.
  ///   - saved: Which ones of the broker's user. Nil: all.
  ///   - crossesMounts: Whether folders below may be mounts of other file systems. Off by default:
  ///     a user can mount a file system of their own (FUSE) over a folder, and one that never
  ///     answers would hold a worker.
  ///   - closed: Folders of which nothing is served whatever lies below the root, by their paths:
  ///     the broker's own. One that is not there is none.
  /// - Throws: `notFound`, `permissionDenied`, `system`.
  package init(
    path: String, owners: [UInt32], saved: SavedFiles? = nil, crossesMounts: Bool = false, closed: [String] = []
  ) throws(DeliveryError) {
    self.path = path
    self.owners = owners
    self.saved = saved
    resolve =
      clinux_resolve_beneath | clinux_resolve_no_symlinks | clinux_resolve_no_magiclinks
      | (crossesMounts ? 0 : clinux_resolve_no_xdev)
    let number = try DeliveryError.check(Self.openDirectory(path), "Opening a library's root")
    let directory = FileDescriptor(owning: number)
    identity = try Self.identity(of: directory)
    uid = try FileFacts(of: directory).uid
    var (identities, isApart) = ([FileIdentity](), true)
    let above = try Self.above(directory)
    self.above = above
    let way = above.reversed().map { SavedFiles.Step(name: $0.name, owner: $0.owner, mode: $0.mode) }
    isBroad = if let saved { uid == saved.broker && saved.hold(way, isBroad: true) } else { true }
    for folder in closed {
      let number = Self.openDirectory(folder)
      if number == -ENOENT || number == -ENOTDIR { continue }
      let lineage = try Self.above(
        FileDescriptor(owning: try DeliveryError.check(number, "Opening a folder of the broker's"))
      ).map(
        \.identity)
      guard let own = lineage.first else { continue }
      identities.append(own)
      if above.contains(where: { own.isSameFolder(as: $0.identity) }) || lineage.contains(where: identity.isSameFolder)
      {
        isApart = false
      }
    }
    self.closed = identities
    self.isApart = isApart
  }

  private static func identity(of directory: borrowing FileDescriptor) throws(DeliveryError) -> FileIdentity {
    guard let identity = FileIdentity(of: directory.number) else { throw .system(errno, "Looking at a library's root") }
    return identity
  }

  /// A directory and those that it lies in, up to the file system's root.
  private static func above(_ directory: borrowing FileDescriptor) throws(DeliveryError) -> [Ancestor] {
    let top = try identity(
      of: FileDescriptor(owning: try DeliveryError.check(openDirectory("/"), "Opening the file system's root")))
    var found = [try ancestor(directory)]
    var step = ".."
    while true {
      // A folder may be mounted on one below it, and be its own parent then.
      if let last = found.last, last.identity.isSameFolder(as: top) { return found }
      let number = clinux_openat2(directory.number, step, clinux_path_only | UInt64(O_DIRECTORY), 0, 0)
      let parent = FileDescriptor(owning: try DeliveryError.check(number, "Looking at what a library's root lies in"))
      found.append(try ancestor(parent))
      step += "/.."
    }
  }

  private static func ancestor(_ directory: borrowing FileDescriptor) throws(DeliveryError) -> Ancestor {
    let facts = try FileFacts(of: directory)
    return Ancestor(
      identity: try identity(of: directory), name: try name(of: directory), owner: facts.uid, mode: facts.mode)
  }

  /// What a directory is called where it lies, as the kernel says it.
  private static func name(of directory: borrowing FileDescriptor) throws(DeliveryError) -> String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/fd/\(directory.number)", &path, path.count)
    guard count > 0 else { throw .system(errno, "Looking at what a library's root is called") }
    let name = path[..<count].split(separator: CChar(UInt8(ascii: "/"))).last ?? []
    return String(decoding: name.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The folder at the end of a way. Each one on it is opened in the one before, so that no other
  /// one is looked at than is gone through, whatever is given their names meanwhile.
  /// - Parameter way: Whose they are, the root first; also of those before one that cannot be
  ///   opened.
  /// - Throws: `outsideRoot` where a folder on the way is closed.
  private func enter(
    _ names: [Substring.UTF8View], below root: consuming FileDescriptor, cachedOnly: Bool = false,
    _ way: inout [SavedFiles.Step]
  ) throws(DeliveryError) -> FileDescriptor {
    var folder = root
    way = [SavedFiles.Step(name: "", owner: uid, mode: 0)]
    for name in names {
      let name = String(Substring(name))
      let flags = clinux_path_only | UInt64(O_DIRECTORY)
      let number = clinux_openat2(folder.number, name, flags, 0, cachedOnly ? resolve | clinux_resolve_cached : resolve)
      guard number >= 0 else { throw Self.refusal(-number, cachedOnly: cachedOnly) }
      let next = FileDescriptor(owning: number)
      if !closed.isEmpty {
        let identity = try Self.identity(of: next)
        guard !closed.contains(where: identity.isSameFolder) else { throw .outsideRoot }
      }
      if saved != nil {
        let facts = try FileFacts(of: next)
        way.append(SavedFiles.Step(name: name, owner: facts.uid, mode: facts.mode))
      }
      folder = next
    }
    return folder
  }

  private static func names(_ path: String) -> [Substring.UTF8View] { path.utf8.split(separator: UInt8(ascii: "/")) }

  /// The root, for as long as one thing below it is opened.
  /// - Throws: `unreachable` where it is not in its place; `notCached`; `noSpace`.
  private func directory(cachedOnly: Bool = false) throws(DeliveryError) -> FileDescriptor {
    let result = Self.openDirectory(path, cachedOnly ? clinux_resolve_cached : 0)
    switch -result {
    case EAGAIN where cachedOnly: throw .notCached
    case EMFILE, ENFILE, ENOMEM: throw .system(-result, "Opening a library's root")
    default: guard result >= 0 else { throw .unreachable }
    }
    let descriptor = FileDescriptor(owning: result)
    guard try Self.identity(of: descriptor) == identity else { throw .unreachable }
    return descriptor
  }

  private static func openDirectory(_ path: String, _ resolve: UInt64 = 0) -> Int32 {
    clinux_openat2(AT_FDCWD, path, UInt64(O_RDONLY | O_DIRECTORY), 0, resolve)
  }

  /// Opens a regular file below the root for reading.
  ///
  /// - Parameters:
  ///   - relativePath: Components separated by "/", none of them "..".
  ///   - cachedOnly: Fail with `notCached` rather than wait for the disk. The event loop's thread must set it.
  /// - Throws: `invalidPath`, `notFound`, `notCached`, `permissionDenied`, `outsideRoot`, `symbolicLink`, `hardLinked`,
  ///   `foreignOwner`, one of the refused kinds, `noSpace`, `unreachable` where the root is not in its place, `system`.
  package func open(_ relativePath: String, cachedOnly: Bool = false) throws(DeliveryError) -> OpenedFile {
    try Self.validate(relativePath)
    let flags = UInt64(O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY)
    let names = Self.names(relativePath)
    guard let name = names.last else { throw .invalidPath }
    var way: [SavedFiles.Step] = []
    let folder = try enter(
      Array(names.dropLast()), below: directory(cachedOnly: cachedOnly), cachedOnly: cachedOnly, &way)
    let result = clinux_openat2(
      folder.number, String(Substring(name)), flags, 0, cachedOnly ? resolve | clinux_resolve_cached : resolve)
    guard result >= 0 else { throw Self.refusal(-result, cachedOnly: cachedOnly) }
    let descriptor = FileDescriptor(owning: result)
    let facts = try FileFacts(of: descriptor)
    try admit(facts, way)
    return OpenedFile(descriptor: descriptor, facts: facts)
  }

  /// Whether what the broker's user saves in a folder below would be another user's, as far as
  /// there are folders on the way to it. Blocks.
  package func isOthers(_ relativePath: String) -> Bool {
    guard let saved else { return false }
    var way: [SavedFiles.Step] = []
    // What cannot be opened is made, or it is told when something is saved.
    _ = try? enter(Self.names(relativePath), below: directory(), &way)
    return saved.areOthers(Array(way.dropFirst()))
  }

  /// Whether a file or folder is not to be named to the library's owner: it is none of theirs, and
  /// lies in a folder that another user keeps closed to them. Blocks.
  package func hides(_ relativePath: String) -> Bool {
    let names = Self.names(relativePath)
    guard let saved, let name = names.last else { return false }
    var way: [SavedFiles.Step] = []
    do throws(DeliveryError) {
      let folder = try enter(Array(names.dropLast()), below: directory(), &way)
      guard saved.isClosed(way) else { return false }
      let result = clinux_openat2(
        folder.number, String(Substring(name)), UInt64(Self.pathOnly | O_NOFOLLOW), 0, resolve)
      guard result >= 0 else { return true }
      return try FileFacts(of: FileDescriptor(owning: result)).uid != saved.user
    } catch { return saved.isClosed(way) }
  }

  private func admit(_ facts: FileFacts, _ way: [SavedFiles.Step]) throws(DeliveryError) {
    if let refused = DeliveryError.refusedKind(mode: facts.mode) { throw refused }
    let isOwners =
      owners.contains(facts.uid) && (facts.uid != saved?.broker || (saved?.hold(way, isBroad: isBroad) ?? true))
    // What another user keeps closed is as if it were not below the root.
    guard isOwners else { throw saved?.isClosed(way) ?? false ? .outsideRoot : .foreignOwner }
    guard facts.links <= 1 else { throw .hardLinked }
  }

  /// Which files would be refused as `permissionDenied`, `foreignOwner` or `hardLinked`, found out
  /// without opening any for reading: what a network share knows of them is enough. Nothing is said
  /// of what is gone. Blocks: on a worker only.
  ///
  /// - Parameter relativePaths: As for ``open(_:cachedOnly:)``.
  /// - Returns: They and why, in order.
  /// - Throws: as ``open(_:cachedOnly:)`` where the root itself cannot be opened.
  package func refused(_ relativePaths: [String]) throws(DeliveryError) -> [(locator: String, error: DeliveryError)] {
    _ = try directory()
    var found: [(locator: String, error: DeliveryError)] = []
    for path in relativePaths {
      do throws(DeliveryError) { try look(at: path) } catch {
        if [.permissionDenied, .foreignOwner, .hardLinked].contains(error.code) { found.append((path, error)) }
      }
    }
    return found
  }

  private func look(at path: String) throws(DeliveryError) {
    try Self.validate(path)
    let names = Self.names(path)
    guard let name = names.last else { throw .invalidPath }
    var way: [SavedFiles.Step] = []
    let folder = try enter(Array(names.dropLast()), below: directory(), &way)
    let result = clinux_openat2(folder.number, String(Substring(name)), UInt64(Self.pathOnly | O_NOFOLLOW), 0, resolve)
    guard result >= 0 else { throw Self.refusal(-result, cachedOnly: false) }
    let descriptor = FileDescriptor(owning: result)
    let cause = faccessat(descriptor.number, "", R_OK, AT_EACCESS | Self.itself) == 0 ? 0 : errno
    if cause == EACCES { throw Self.refusal(cause, cachedOnly: false) }
    try admit(FileFacts(of: descriptor), way)
  }

  /// O_PATH and AT_EMPTY_PATH, which the headers hide.
  private static let pathOnly: Int32 = 0o10000000
  private static let itself: Int32 = 0x1000

  /// Opens a directory below the root, "." for the root itself: where an ``AtomicFile`` is written to.
  ///
  /// - Throws: as ``open(_:cachedOnly:)``; `notFound` where it is no directory.
  package func openDirectory(_ relativePath: String) throws(DeliveryError) -> FileDescriptor {
    try Self.validate(relativePath)
    var way: [SavedFiles.Step] = []
    let folder = try enter(Self.names(relativePath), below: directory(), &way)
    let result = clinux_openat2(folder.number, ".", UInt64(O_RDONLY | O_DIRECTORY), 0, resolve)
    guard result >= 0 else { throw Self.refusal(-result, cachedOnly: false) }
    return FileDescriptor(owning: result)
  }

  private static func validate(_ path: String) throws(DeliveryError) {
    let bytes = path.utf8
    guard let first = bytes.first, first != UInt8(ascii: "/"), !bytes.contains(0),
      !bytes.split(separator: UInt8(ascii: "/")).contains(where: { $0.elementsEqual("..".utf8) })
    else { throw .invalidPath }
  }

  private static func refusal(_ error: Int32, cachedOnly: Bool) -> DeliveryError {
    switch error {
    case ELOOP: .symbolicLink
    case EXDEV: .outsideRoot
    // A socket has no opening; a device without a driver neither.
    case ENXIO, ENODEV: .init(.deviceRefused, "This is a socket or a device. Only regular files are served.")
    case EAGAIN where cachedOnly: .notCached
    case EAGAIN: .changedWhileReading
    default: .system(error, "Opening a file of the library")
    }
  }
}

extension FileIdentity {
  fileprivate func isSameFolder(as other: FileIdentity) -> Bool { device == other.device && inode == other.inode }
}
