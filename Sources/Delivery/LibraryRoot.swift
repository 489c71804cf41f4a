import CLinux
import Glibc
package import UnixSocket

/// Opens a library's files by relative path. There is no other way to open them.
///
/// The root is one directory, checked at each call: another folder or disk in its place is not
/// accepted. Nothing stays open in between, so a disk can be removed at any time. The kernel keeps
/// every step below the root (`openat2`), so no path can be swapped between check and open.
/// Thread-safe.
package final class LibraryRoot: Sendable {
  private let path: String
  private let identity: FileIdentity
  /// The root and its parent folders up to "/", as first seen.
  package let above: [Ancestor]
  package var lineage: [FileIdentity] { above.map(\.identity) }
  /// The root's owner, as first seen.
  package let uid: UInt32
  private let owners: [UInt32]
  private let saved: SavedFiles?
  /// Whether files of the broker's user directly in the root are served: that user owns the root,
  /// and no folder above belongs to another user.
  package let isBroad: Bool
  private let resolve: UInt64
  /// Folders whose files are never opened.
  private let closed: [FileIdentity]
  /// Whether the root is apart from the closed folders: neither one of them, nor inside one, nor
  /// around one. Otherwise nothing may be served.
  package let isApart: Bool

  /// A root, or one of its parent folders.
  package struct Ancestor: Sendable {
    package let identity: FileIdentity
    let name: String
    package let owner: UInt32
    /// Type and permission bits.
    package let mode: UInt32
  }

  /// Opens the root. Follows symbolic links here, because the administrator chose this path.
  ///
  /// - Parameters:
  ///   - path: An existing directory, absolute.
  ///   - owners: The users whose files are served: the library's owner, and the broker's user if it
  ///     owns added files.
  ///   - saved: Selects files of the broker's user; nil for all of them.
  ///   - crossesMounts: Whether subfolders may be mounts of other file systems. Off by default: a
  ///     user can mount a FUSE file system over a folder, and one that never answers would block a
  ///     worker.
  ///   - closed: Paths of the broker's own folders, whose files are never served. A missing one is
  ///     ignored.
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
    guard let identity = FileIdentity(of: directory.number) else {
      throw .system(errno, "Reading the attributes of a library's root")
    }
    return identity
  }

  /// A directory and its parent folders up to "/".
  private static func above(_ directory: borrowing FileDescriptor) throws(DeliveryError) -> [Ancestor] {
    let top = try identity(
      of: FileDescriptor(owning: try DeliveryError.check(openDirectory("/"), "Opening the file system's root")))
    var found = [try ancestor(directory)]
    var step = ".."
    while true {
      // A bind mount over its own subfolder can make a folder its own parent.
      if let last = found.last, last.identity.isSameFolder(as: top) { return found }
      let number = clinux_openat2(directory.number, step, clinux_path_only | UInt64(O_DIRECTORY), 0, 0)
      let parent = FileDescriptor(owning: try DeliveryError.check(number, "Opening the parent of a library's root"))
      found.append(try ancestor(parent))
      step += "/.."
    }
  }

  private static func ancestor(_ directory: borrowing FileDescriptor) throws(DeliveryError) -> Ancestor {
    let facts = try FileFacts(of: directory)
    return Ancestor(
      identity: try identity(of: directory), name: try name(of: directory), owner: facts.uid, mode: facts.mode)
  }

  /// A directory's name in its parent folder, as the kernel reports it.
  private static func name(of directory: borrowing FileDescriptor) throws(DeliveryError) -> String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/fd/\(directory.number)", &path, path.count)
    guard count > 0 else { throw .system(errno, "Reading the name of a library's root") }
    let name = path[..<count].split(separator: CChar(UInt8(ascii: "/"))).last ?? []
    return String(decoding: name.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Opens a folder step by step, each one relative to the one before, so that a swapped name
  /// cannot lead past the checks.
  ///
  /// - Parameter way: Receives the steps taken, the root first, even before a failing one.
  /// - Throws: `outsideRoot` if a folder on the way is closed.
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

  /// Opens the root for one operation.
  ///
  /// - Throws: `unreachable` if the root is not in its place; `notCached`; `noSpace`.
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
  ///   - cachedOnly: Whether to fail with `notCached` instead of waiting for the disk. Required on
  ///     the event loop.
  /// - Throws: `invalidPath`, `notFound`, `notCached`, `permissionDenied`, `outsideRoot`,
  ///   `symbolicLink`, `hardLinked`, `foreignOwner`, one of the refused kinds, `noSpace`,
  ///   `unreachable` if the root is not in its place, `system`.
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
    try requireAllowed(facts, way)
    return OpenedFile(descriptor: descriptor, facts: facts)
  }

  /// Whether a file that the broker saves in this folder would belong to another user, judged by
  /// the folders that exist. Blocks.
  package func isOthers(_ relativePath: String) -> Bool {
    guard let saved else { return false }
    var way: [SavedFiles.Step] = []
    // Missing folders will be created; other failures show when a file is saved.
    _ = try? enter(Self.names(relativePath), below: directory(), &way)
    return saved.areOthers(Array(way.dropFirst()))
  }

  /// Whether to hide a file or folder from the library's owner: it belongs to another user, inside
  /// a folder that the owner cannot look into. Blocks.
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

  private func requireAllowed(_ facts: FileFacts, _ way: [SavedFiles.Step]) throws(DeliveryError) {
    if let refused = DeliveryError.refusedKind(mode: facts.mode) { throw refused }
    let isOwners =
      owners.contains(facts.uid) && (facts.uid != saved?.broker || (saved?.hold(way, isBroad: isBroad) ?? true))
    // A file in a folder closed to the owner counts as outside the root.
    guard isOwners else { throw saved?.isClosed(way) ?? false ? .outsideRoot : .foreignOwner }
    guard facts.links <= 1 else { throw .hardLinked }
  }

  /// Lists files that would be refused as `permissionDenied`, `foreignOwner` or `hardLinked`,
  /// without opening them for reading: a network share's attributes suffice. Missing files are
  /// skipped. Blocks: only on a worker.
  ///
  /// - Parameter relativePaths: As for ``open(_:cachedOnly:)``.
  /// - Returns: The refused files with their errors, in order.
  /// - Throws: as ``open(_:cachedOnly:)`` if the root itself cannot be opened.
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
    try requireAllowed(FileFacts(of: descriptor), way)
  }

  /// O_PATH and AT_EMPTY_PATH, which the headers hide.
  private static let pathOnly: Int32 = 0o10000000
  private static let itself: Int32 = 0x1000

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
    // Sockets and devices without a driver cannot be opened.
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
