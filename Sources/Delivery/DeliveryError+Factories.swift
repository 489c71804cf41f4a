import Glibc

extension DeliveryError {
  static var notFound: Self {
    .init(.notFound, "There is no such file. It may have been moved or deleted. Scan the library again.")
  }
  package static var notCached: Self {
    .init(.notCached, "Opening would wait for the disk. Ask again from a worker thread.")
  }
  static var invalidPath: Self { .init(.invalidPath, "A path must be relative, not empty, and without \"..\" or NUL.") }
  static var outsideRoot: Self {
    .init(
      .outsideRoot,
      "The path leaves its root or crosses to another file system. Serve that folder as a root of its own.")
  }
  static var symbolicLink: Self {
    .init(.symbolicLink, "A symbolic link stands in the path and is not followed. Replace it by the file itself.")
  }
  static var hardLinked: Self {
    .init(.hardLinked, "The file has a second name, which may lie elsewhere. Make a copy of its own.")
  }
  static var foreignOwner: Self {
    .init(.foreignOwner, "The file belongs to a user whose files this root does not serve. Correct its owner.")
  }
  static var notReadable: Self { .init(.notReadable, "The descriptor is not open for reading. Open it with O_RDONLY.") }
  package static var tooLarge: Self { .init(.tooLarge, "The file is larger than the limit. Send a smaller one.") }
  static var empty: Self { .init(.empty, "The file holds no bytes.") }
  package static var changedWhileReading: Self {
    .init(.changedWhileReading, "The file changed while it was read. Try again when its writer is done.")
  }
  package static var timedOut: Self {
    .init(.timedOut, "The transfer timed out. Send the bytes faster, or as a memory file.")
  }
  static var noMemory: Self { .init(.noMemory, "There is no memory for another copy now. Try again later.") }
  static var tooManyPending: Self {
    .init(.tooManyPending, "Too many senders are slow at the same time. Try again later, or send a memory file.")
  }
  static var invalidRange: Self {
    .init(.invalidRange, "Offset and length must not be negative, and one piece is at most 512 KiB.")
  }
  package static var unreachable: Self {
    .init(.unreachable, "The storage does not deliver the bytes now. Try again when it is back.")
  }
  package static var gone: Self { notFound }
  package static var notHashed: Self {
    .init(.system, "The digest of a copy could not be made. Try again, or restart the broker.")
  }
  package static func notCleaned(_ reason: String) -> Self {
    .init(.notCleaned, "The file cannot be delivered without the withheld facts: \(reason).")
  }
  package static func cleanerFailed(_ reason: String) -> Self {
    .init(.system, "The program that cleans files does not answer: \(reason)")
  }
  package static var readerGone: Self { .init(.readerGone, "The reader closed its end of the stream.") }
  package static var sourceEndedEarly: Self {
    .init(
      .sourceFailed,
      "The file ended before its announced length. Try again. If it fails again, scan the library.")
  }

  /// The error for a refused kind of file, by the type bits of its mode; nil for a regular file.
  static func refusedKind(mode: UInt32) -> Self? {
    switch mode & S_IFMT {
    case S_IFREG: nil
    case S_IFDIR: .init(.directoryRefused, "This is a directory. Send one file.")
    case S_IFSOCK: .init(.socketRefused, "This is a socket. Send a file, a memory file or a pipe.")
    case S_IFCHR, S_IFBLK: .init(.deviceRefused, "This is a device. Send a file, a memory file or a pipe.")
    case S_IFIFO: .init(.pipeRefused, "This is a named pipe. Only regular files are served.")
    case S_IFLNK: symbolicLink
    default: .init(.unknownKindRefused, "This is no file. Send a file, a memory file or a pipe.")
    }
  }

  /// Maps an errno to an error code.
  static func system(_ error: Int32, _ what: String) -> Self {
    switch error {
    case ENOENT, ENOTDIR: notFound
    case ENAMETOOLONG:
      .init(.invalidPath, "A component of the path is longer than the file system allows.", cause: error)
    case EACCES, EPERM, EROFS:
      .init(.permissionDenied, "\(what): not permitted. Give the broker's user access to the folder.", cause: error)
    case ENOSPC, EDQUOT, EMFILE, ENFILE, ENOMEM:
      .init(.noSpace, "\(what): no space, memory or descriptor left. Free some and try again.", cause: error)
    case EPIPE: readerGone
    default: .init(.system, "\(what) failed. See the error number.", cause: error)
    }
  }

  /// Returns a C function's result, or throws its error.
  static func check<R: FixedWidthInteger>(_ result: R, _ what: String) throws(DeliveryError) -> R {
    guard result >= 0 else { throw system(Int32(truncatingIfNeeded: 0 &- result), what) }
    return result
  }
}
