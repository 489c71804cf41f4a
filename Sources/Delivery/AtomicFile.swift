import CLinux
import Glibc
package import UnixSocket

/// Adds a photo to a folder as a whole and durably, or not at all. Never replaces an existing file
/// (R142).
package enum AtomicFile {
  /// The longest file name in bytes. An added number still fits into the usual limit of 255.
  package static let nameLimitBytes = 200
  private static let numberedNames = 9
  private static let randomNames = 16

  /// Writes the copy under the name, or under `name-1`, `name-2`, ... if that is taken.
  ///
  /// After nine numbers the suffix is random. Trying more numbers would tell an app, by the time it
  /// takes, how many files of that name exist (R11).
  ///
  /// - Parameters:
  ///   - directory: From ``LibraryRoot/openDirectory(_:)``.
  ///   - mode: Permission bits, reduced by the process's umask, or by the folder's default access
  ///     list.
  /// - Returns: The file's final name.
  /// - Throws: `invalidName`, `namesExhausted`, `permissionDenied`, `noSpace`, `system`.
  package static func write(
    _ copy: SealedCopy, into directory: borrowing FileDescriptor, name: String, mode: UInt32 = 0o660
  ) throws(DeliveryError) -> String {
    try write(copy, into: directory, name: name, mode: mode, unnamed: true)
  }

  /// - Parameter unnamed: Whether to try an unnamed file first; some file systems (vfat, NFS) have
  ///   none.
  static func write(
    _ copy: SealedCopy, into directory: borrowing FileDescriptor, name: String, mode: UInt32, unnamed: Bool
  ) throws(DeliveryError) -> String {
    let candidates = try NameCandidates(name)
    if unnamed {
      let number = clinux_unnamed_file(directory.number, mode)
      if number != -EOPNOTSUPP {
        let file = FileDescriptor(owning: try DeliveryError.check(number, "Making a file"))
        try fill(file, from: copy)
        return try publish(candidates, in: directory) { [raw = file.number, folder = directory.number] in
          clinux_link_unnamed(raw, folder, $0)
        }
      }
    }
    let temporary = ".photobroker-\(String(UInt64.random(in: .min ... .max), radix: 16)).part"
    let file = FileDescriptor(
      owning: try DeliveryError.check(clinux_create_new(directory.number, temporary, mode), "Making a file"))
    do throws(DeliveryError) {
      try fill(file, from: copy)
      return try publish(candidates, in: directory) { [folder = directory.number] in
        clinux_rename_no_replace(folder, temporary, $0)
      }
    } catch {
      unlinkat(directory.number, temporary, 0)
      throw error
    }
  }

  private static func fill(_ file: borrowing FileDescriptor, from copy: SealedCopy) throws(DeliveryError) {
    var done = 0
    while done < copy.byteCount {
      let count = try DeliveryError.check(
        clinux_copy(copy.descriptor.number, Int64(done), file.number, copy.byteCount - done), "Writing a file")
      guard count > 0 else { throw .system(EIO, "Writing a file") }
      done += count
    }
    guard fsync(file.number) == 0 else { throw .system(errno, "Saving a file") }
  }

  private static func publish(
    _ candidates: NameCandidates, in directory: borrowing FileDescriptor, _ give: (String) -> Int32
  ) throws(DeliveryError) -> String {
    for attempt in 0...(numberedNames + randomNames) {
      let name =
        attempt == 0
        ? candidates.plain
        : candidates.suffixed(
          attempt <= numberedNames
            ? String(attempt) : String(UInt32.random(in: .min ... .max), radix: 16))
      let result = give(name)
      if result == -EEXIST { continue }
      _ = try DeliveryError.check(result, "Naming a file")
      guard fsync(directory.number) == 0 else {
        let error = errno
        // The file counts as added only if it is durable; otherwise a crash could keep or lose it.
        unlinkat(directory.number, name, 0)
        throw .system(error, "Saving a folder")
      }
      return name
    }
    throw .namesExhausted
  }
}
