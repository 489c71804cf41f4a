import Broker
import CLinux
import Glibc
import UnixSocket
import Varlink

/// Secret options of libraries' storages: a file for each library with secrets, of mode 0600 and
/// the broker's own user, in a folder that nobody else can enter.
///
/// A file is one JSON object, from option names to values. The values go to the plugin and nowhere
/// else: to no database, log, command line or answer. Every function blocks and belongs on a
/// worker.
final class CredentialFiles: Sendable {
  /// Limit of one file.
  private static let limitBytes = 1 << 20

  private let folder: String

  init(stateDirectory: String) { folder = stateDirectory + "/credentials" }

  /// A library's secrets; empty if it has no file.
  /// - Throws: `offline` for a file that others can read or write, or that is malformed.
  func read(_ library: LibraryName) throws(StorageFailure) -> [String: String] {
    let file = clinux_open(path(library), O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0)
    if file == -ENOENT { return [:] }
    guard file >= 0 else { throw refused(library, "cannot be opened") }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      throw refused(library, "is no regular file")
    }
    guard facts.st_uid == geteuid() else { throw refused(library, "belongs to another user: give it to the broker's") }
    guard facts.st_mode & 0o077 == 0 else {
      throw refused(library, "can be read by others: set its mode to 0600, and change the secrets")
    }
    guard facts.st_size <= Self.limitBytes, let bytes = FileBytes.read(file, limit: Self.limitBytes) else {
      throw refused(library, "is too long")
    }
    do { return try Self.parse(bytes) } catch {
      throw refused(library, "is no JSON object of texts; give the credentials again")
    }
  }

  private static func parse(_ bytes: [UInt8]) throws(VarlinkError) -> [String: String] {
    var reader = try JSONReader(
      bytes.span, rules: DecodingRules(rejectsUnknownFields: false, stringLimitBytes: limitBytes))
    return try [String: String](from: &reader)
  }

  /// Replaces a library's secrets, through to the disk. An empty dictionary acts as ``remove(_:)``.
  /// - Throws: `noSpace` or `failed`; the old secrets stay then.
  func write(_ secrets: [String: String], of library: LibraryName) throws(StorageFailure) {
    if secrets.isEmpty { return remove(library) }
    if mkdir(folder, 0o700) != 0, errno != EEXIST { throw unkept(errno) }
    var writer = JSONWriter()
    secrets.encode(to: &writer)
    let new = path(library) + ".new"
    unlink(new)
    let file = clinux_open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw unkept(-file) }
    defer { close(file) }
    let isWritten = writer.withUnsafeBytes { FileBytes.write($0, to: file) } && fsync(file) == 0
    guard isWritten, rename(new, path(library)) == 0 else {
      let cause = errno
      unlink(new)
      throw unkept(cause)
    }
    syncFolder()
  }

  func remove(_ library: LibraryName) {
    unlink(path(library) + ".new")
    if unlink(path(library)) == 0 { syncFolder() }
  }

  /// Erases files of libraries that no longer exist, such as one whose removal a crash cut short.
  func keepOnly(_ libraries: Set<String>) {
    for name in FolderListing.names(in: folder) ?? [] where !libraries.contains(name) { unlink("\(folder)/\(name)") }
  }

  private func path(_ library: LibraryName) -> String { "\(folder)/\(library)" }

  private func syncFolder() {
    let descriptor = clinux_open(folder, O_RDONLY | O_DIRECTORY, 0)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  private func refused(_ library: LibraryName, _ reason: String) -> StorageFailure {
    StorageFailure(.offline, "The file credentials/\(library) in the broker's state folder \(reason).")
  }

  private func unkept(_ cause: Int32) -> StorageFailure {
    let reason = String(cString: strerror(cause))
    return StorageFailure(
      cause == ENOSPC ? .noSpace : .failed,
      "The credentials cannot be saved (\(reason)); free space for the broker's state folder.")
  }
}

enum FileBytes {
  /// All bytes, whatever the descriptor's position. Nil if the file cannot be read or exceeds the
  /// limit.
  static func read(_ file: Int32, limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = pread(file, &piece, piece.count, off_t(bytes.count))
      if count < 0, errno == EINTR { continue }
      guard count >= 0, bytes.count + count <= limit else { return nil }
      if count == 0 { return bytes }
      bytes += piece[..<count]
    }
  }

  /// False, with `errno` set, if not all could be written.
  static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = Glibc.write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return false }
      rest = rest.dropFirst(written)
    }
    return true
  }
}
