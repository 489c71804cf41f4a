/// Why bytes could not be had, or could not leave; equal by code.
///
/// Neither `description` nor `message` holds a path, a name or a size: they may be logged. What of
/// it an app may learn is the broker's decision ("denied" and "absent" look the same to an app).
package struct DeliveryError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What went wrong, as a closed set for the caller to decide on.
  package enum Code: String, Sendable {
    /// There is no such file.
    case notFound
    /// The kernel would have to wait for the disk: try again on a worker, not only cached.
    case notCached
    /// The daemon's user may not read or write it.
    case permissionDenied
    /// The relative path is empty, absolute, climbs with "..", or holds a NUL byte.
    case invalidPath
    /// The path leaves its root, or crosses onto another mounted file system.
    case outsideRoot
    /// A symbolic link stands in the path.
    case symbolicLink
    /// Not a regular file: a directory.
    case directoryRefused
    /// Not a regular file: a socket.
    case socketRefused
    /// Not a regular file: a character or block device.
    case deviceRefused
    /// Not a regular file: a named pipe, where only files are taken.
    case pipeRefused
    /// Not a regular file: something that has no kind, such as an event counter.
    case unknownKindRefused
    /// The descriptor was not opened for reading.
    case notReadable
    /// A second name of the file exists, which may lie outside the root.
    case hardLinked
    /// The file belongs to a user whose files the root does not serve.
    case foreignOwner
    /// More bytes than the limit allows.
    case tooLarge
    /// No byte at all, where there must be some.
    case empty
    /// The file changed while it was copied, twice.
    case changedWhileReading
    /// The sender did not deliver in time.
    case timedOut
    /// Too many senders that do not deliver are already being waited for.
    case tooManyPending
    /// A range with a negative start or length, or a piece longer than the limit.
    case invalidRange
    /// A file name that is empty, hidden, too long, or holds a slash or control character.
    case invalidName
    /// So many names of this form are taken that none was tried any further.
    case namesExhausted
    /// The file system, memory, or descriptor table is full.
    case noSpace
    /// The memory for copies is taken by others of the user's, or of others, and was for as long as
    /// it could be waited for.
    case noMemory
    /// Whoever reads the stream went away.
    case readerGone
    /// The source of a stream failed, or ended before its announced length.
    case sourceFailed
    /// The storage that has the bytes, which is no folder of this machine, does not deliver them now.
    case unreachable
    /// Anything else that the kernel answered.
    case system
  }

  package let code: Code
  /// What went wrong and what to do about it.
  package let message: String
  /// The kernel's error number behind it, or 0.
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
