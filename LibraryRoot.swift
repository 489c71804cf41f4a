import CLinux
import Glibc
package import UnixSocket

/// The one way from a relative path to an open file of a library.
///
/// The root is a directory descriptor: renaming or replacing the folder above it changes nothing. The kernel itself keeps
/// every step below it (`openat2`), so there is no moment between a check and an opening in which a path can be swapped.
/// Safe to use from several threads.
package final class LibraryRoot: Sendable {
  private let directory: FileDescriptor
  private let owners: [UInt32]
  private let resolve: UInt64

  /// Opens the root itself; here symbolic links are followed, since the administrator named this path.
  ///
  /// - Parameters:
  ///   - path: An existing directory.
  ///   - owners: Only files of these users are served: the library's owner, and the broker's user where added files are its.
  ///   - crossesMounts: Whether folders below may be mounts of other file systems. Off by default: a user can mount a file
  ///     system of their own (FUSE) over a folder, and one that never answers would hold a worker.
  /// - Throws: `notFound`, `permissionDenied`, `system`.
  package convenience init(path: String, owners: [UInt32], crossesMounts: Bool = false) throws(DeliveryError) {
    let number = try DeliveryError.check(
      clinux_openat2(AT_FDCWD, path, UInt64(O_RDONLY | O_DIRECTORY), 0, 0), "Opening a library's root")
    self.init(directory: FileDescriptor(owning: number), owners: owners, crossesMounts: crossesMounts)
  }

  /// Takes over an open directory.
  package init(directory: consuming FileDescriptor, owners: [UInt32], crossesMounts: Bool = false) {
    self.directory = directory
    self.owners = owners
    resolve =
      clinux_resolve_beneath | clinux_resolve_no_symlinks | clinux_resolve_no_magiclinks
      | (crossesMounts ? 0 : clinux_resolve_no_xdev)
  }

  /// Opens a regular file below the root for reading.
  ///
  /// - Parameters:
  ///   - relativePath: Components separated by "/", none of them "..".
  ///   - cachedOnly: Fail with `notCached` rather than wait for the disk. The event loop's thread must set it.
  /// - Throws: `invalidPath`, `notFound`, `notCached`, `permissionDenied`, `outsideRoot`, `symbolicLink`, `hardLinked`,
  ///   `foreignOwner`, one of the refused kinds, `noSpace`, `system`.
  package func open(_ relativePath: String, cachedOnly: Bool = false) throws(DeliveryError) -> OpenedFile {
    try Self.validate(relativePath)
    let flags = UInt64(O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY)
    let result = clinux_openat2(
      directory.number, relativePath, flags, 0, cachedOnly ? resolve | clinux_resolve_cached : resolve)
    guard result >= 0 else { throw Self.refusal(-result, cachedOnly: cachedOnly) }
    let descriptor = FileDescriptor(owning: result)
    let facts = try FileFacts(of: descriptor)
    if let refused = DeliveryError.refusedKind(mode: facts.mode) { throw refused }
    guard owners.contains(facts.uid) else { throw .foreignOwner }
    guard facts.links <= 1 else { throw .hardLinked }
    return OpenedFile(descriptor: descriptor, facts: facts)
  }

  /// Opens a directory below the root, "." for the root itself: where an ``AtomicFile`` is written to.
  ///
  /// - Throws: as ``open(_:cachedOnly:)``; `notFound` where it is no directory.
  package func openDirectory(_ relativePath: String) throws(DeliveryError) -> FileDescriptor {
    try Self.validate(relativePath)
    let result = clinux_openat2(directory.number, relativePath, UInt64(O_RDONLY | O_DIRECTORY), 0, resolve)
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
