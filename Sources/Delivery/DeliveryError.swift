/// A failure to read, copy or deliver bytes; equal by code.
///
/// Neither `description` nor `message` holds a path, a name or a size, so both may be logged. The
/// broker decides how much an app may learn ("denied" and "absent" look the same to an app).
package struct DeliveryError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of failure, for the caller to decide on.
  package enum Code: String, Sendable {
    /// The file does not exist.
    case notFound
    /// The kernel would have to wait for the disk: retry on a worker, without `cachedOnly`.
    case notCached
    /// The broker's user may not read or write the file.
    case permissionDenied
    /// The relative path is empty, absolute, contains "..", or holds a NUL byte.
    case invalidPath
    /// The path leaves its root, or crosses onto another mounted file system.
    case outsideRoot
    /// The path contains a symbolic link.
    case symbolicLink
    /// Not a regular file: a directory.
    case directoryRefused
    /// Not a regular file: a socket.
    case socketRefused
    /// Not a regular file: a character or block device.
    case deviceRefused
    /// Not a regular file: a named pipe, where only files are accepted.
    case pipeRefused
    /// Not a regular file: an object without a type, such as an event counter.
    case unknownKindRefused
    /// The descriptor is not open for reading.
    case notReadable
    /// The file has a second name, which may lie outside the root.
    case hardLinked
    /// The file's owner is not one that the root serves.
    case foreignOwner
    /// The content exceeds the limit.
    case tooLarge
    /// The content is empty.
    case empty
    /// The file changed while it was copied, twice.
    case changedWhileReading
    /// The sender did not deliver in time.
    case timedOut
    /// Too many stalled senders are pending.
    case tooManyPending
    /// A range with a negative start or length, or a piece longer than the limit.
    case invalidRange
    /// The file system, memory, or descriptor table is full.
    case noSpace
    /// The quota of memory for copies was used up until the timeout.
    case noMemory
    /// The reader of a stream closed it.
    case readerGone
    /// The source of a stream failed, or ended before its announced length.
    case sourceFailed
    /// A remote storage does not deliver at the moment.
    case unreachable
    /// Facts that the reader must not get cannot be taken out of the file with certainty.
    case notCleaned
    /// Any other error of the kernel.
    case system
  }

  package let code: Code
  /// The cause and the remedy.
  package let message: String
  /// The kernel's error number, or 0.
  package let cause: Int32

  init(_ code: Code, _ message: String, cause: Int32 = 0) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  package static func == (a: Self, b: Self) -> Bool { a.code == b.code }

  package var description: String {
    cause == 0 ? "delivery(\(code.rawValue)): \(message)" : "delivery(\(code.rawValue), errno \(cause)): \(message)"
  }
}
