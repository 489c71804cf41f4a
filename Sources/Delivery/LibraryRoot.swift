import CLinux
import Glibc
package import UnixSocket

/// The one way from a relative path to an open file of a library.
///
/// The root is one directory, recognised whenever something is opened: a folder or disk that was put in its place is not it.
/// Nothing stays open in between, so that a disk can be taken out at any time. The kernel itself keeps every step below the
/// root (`openat2`), so there is no moment between a check and an opening in which a path can be swapped. Safe to use from
/// several threads.
package final class LibraryRoot: Sendable {
  private let path: String
  private let identity: FileIdentity
  /// It, and the folders that it lies in, up to the file system's root.
  package let lineage: [FileIdentity]
  /// Whose directory it was when it was first looked at.
  package let uid: UInt32
  private let owners: [UInt32]
  private let resolve: UInt64
  /// Folders whose files are never opened.
  private let closed: [FileIdentity]
  /// Whether the root neither is one of these folders, nor lies in one, nor has one in it. Nothing is to be served where it is not so.
  package let isApart: Bool

  /// Looks at the root itself; here symbolic links are followed, since the administrator named this path.
  ///
  /// - Parameters:
  ///   - path: An existing directory, absolute.
  ///   - owners: Only files of these users are served: the library's owner, and the broker's user where added files are its.
  ///   - crossesMounts: Whether folders below may be mounts of other file systems. Off by default: a user can mount a file
  ///     system of their own (FUSE) over a folder, and one that never answers would hold a worker.
  ///   - closed: Folders of which nothing is served whatever lies below the root, by their paths: the broker's own. One that is not there
  ///     is none.
  /// - Throws: `notFound`, `permissionDenied`, `system`.
  package init(path: String, owners: [UInt32], crossesMounts: Bool = false, closed: [String] = []) throws(DeliveryError) {
    self.path = path
    self.owners = owners
    resolve =
      clinux_resolve_beneath | clinux_resolve_no_symlinks | clinux_resolve_no_magiclinks
      | (crossesMounts ? 0 : clinux_resolve_no_xdev)
    let number = try DeliveryError.check(Self.openDirectory(path), "Opening a library's root")
    let directory = FileDescriptor(owning: number)
    identity = try Self.identity(of: directory)
    uid = try FileFacts(of: directory).uid
    var (identities, isApart) = ([FileIdentity](), true)
    lineage = try Self.lineage(of: directory)
    for folder in closed {
      let number = Self.openDirectory(folder)
      if number == -ENOENT || number == -ENOTDIR { continue }
      let lineage = try Self.lineage(of: FileDescriptor(owning: try DeliveryError.check(number, "Opening a folder of the broker's")))
      guard let own = lineage.first else { continue }
      identities.append(own)
      if self.lineage.contains(where: own.isSameFolder) || lineage.contains(where: identity.isSameFolder) { isApart = false }
    }
    self.closed = identities
    self.isApart = isApart
  }

  private static func identity(of directory: borrowing FileDescriptor) throws(DeliveryError) -> FileIdentity {
    guard let identity = FileIdentity(of: directory.number) else { throw .system(errno, "Looking at a library's root") }
    return identity
  }

  /// A directory and those that it lies in, up to the file system's root.
  private static func lineage(of directory: borrowing FileDescriptor) throws(DeliveryError) -> [FileIdentity] {
    let top = try identity(of: FileDescriptor(owning: try DeliveryError.check(openDirectory("/"), "Opening the file system's root")))
    var found = [try identity(of: directory)]
    var step = ".."
    while true {
      // A folder may be mounted on one below it, and be its own parent then.
      if let last = found.last, last.isSameFolder(as: top) { return found }
      let number = clinux_openat2(directory.number, step, clinux_path_only | UInt64(O_DIRECTORY), 0, 0)
      let parent = FileDescriptor(owning: try DeliveryError.check(number, "Looking at what a library's root lies in"))
      found.append(try identity(of: parent))
      step += "/.."
    }
  }

  /// - Throws: `outsideRoot` where a folder on the way to what was opened is closed.
  private func checkWay(
    to relativePath: String, below root: borrowing FileDescriptor, isDirectory: Bool, cachedOnly: Bool
  ) throws(DeliveryError) {
    guard !closed.isEmpty else { return }
    let bytes = relativePath.utf8
    let ends = bytes.indices.filter { bytes[$0] == UInt8(ascii: "/") } + (isDirectory ? [bytes.endIndex] : [])
    for end in ends where end > bytes.startIndex {
      let flags = clinux_path_only | UInt64(O_DIRECTORY)
      let way = String(relativePath[..<end])
      let number = clinux_openat2(root.number, way, flags, 0, cachedOnly ? resolve | clinux_resolve_cached : resolve)
      guard number >= 0 else { throw Self.refusal(-number, cachedOnly: cachedOnly) }
      let folder = try Self.identity(of: FileDescriptor(owning: number))
      guard !closed.contains(where: folder.isSameFolder) else { throw .outsideRoot }
    }
  }

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
    let root = try directory(cachedOnly: cachedOnly)
    let result = clinux_openat2(root.number, relativePath, flags, 0, cachedOnly ? resolve | clinux_resolve_cached : resolve)
    guard result >= 0 else { throw Self.refusal(-result, cachedOnly: cachedOnly) }
    let descriptor = FileDescriptor(owning: result)
    let facts = try FileFacts(of: descriptor)
    try admit(facts)
    try checkWay(to: relativePath, below: root, isDirectory: false, cachedOnly: cachedOnly)
    return OpenedFile(descriptor: descriptor, facts: facts)
  }

  private func admit(_ facts: FileFacts) throws(DeliveryError) {
    if let refused = DeliveryError.refusedKind(mode: facts.mode) { throw refused }
    guard owners.contains(facts.uid) else { throw .foreignOwner }
    guard facts.links <= 1 else { throw .hardLinked }
  }

  /// Which files would be refused as `permissionDenied`, `foreignOwner` or `hardLinked`, found out without opening any for reading: what
  /// a network share knows of them is enough. Nothing is said of what is gone. Blocks: on a worker only.
  ///
  /// - Parameter relativePaths: As for ``open(_:cachedOnly:)``.
  /// - Returns: They and why, in order.
  /// - Throws: as ``open(_:cachedOnly:)`` where the root itself cannot be opened.
  package func refused(_ relativePaths: [String]) throws(DeliveryError) -> [(locator: String, error: DeliveryError)] {
    let root = try directory()
    var found: [(locator: String, error: DeliveryError)] = []
    for path in relativePaths {
      do throws(DeliveryError) { try look(at: path, below: root) } catch {
        if [.permissionDenied, .foreignOwner, .hardLinked].contains(error.code) { found.append((path, error)) }
      }
    }
    return found
  }

  private func look(at path: String, below root: borrowing FileDescriptor) throws(DeliveryError) {
    try Self.validate(path)
    let result = clinux_openat2(root.number, path, UInt64(Self.pathOnly | O_NOFOLLOW), 0, resolve)
    guard result >= 0 else { throw Self.refusal(-result, cachedOnly: false) }
    let descriptor = FileDescriptor(owning: result)
    let cause = faccessat(descriptor.number, "", R_OK, AT_EACCESS | Self.itself) == 0 ? 0 : errno
    if cause == EACCES { throw Self.refusal(cause, cachedOnly: false) }
    try admit(FileFacts(of: descriptor))
  }

  /// O_PATH and AT_EMPTY_PATH, which the headers hide.
  private static let pathOnly: Int32 = 0o10000000
  private static let itself: Int32 = 0x1000

  /// Opens a directory below the root, "." for the root itself: where an ``AtomicFile`` is written to.
  ///
  /// - Throws: as ``open(_:cachedOnly:)``; `notFound` where it is no directory.
  package func openDirectory(_ relativePath: String) throws(DeliveryError) -> FileDescriptor {
    try Self.validate(relativePath)
    let root = try directory()
    let result = clinux_openat2(root.number, relativePath, UInt64(O_RDONLY | O_DIRECTORY), 0, resolve)
    guard result >= 0 else { throw Self.refusal(-result, cachedOnly: false) }
    let descriptor = FileDescriptor(owning: result)
    try checkWay(to: relativePath, below: root, isDirectory: true, cachedOnly: false)
    return descriptor
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
