import CDirectoryStorage
import Glibc
import PhotoModel
import PluginKit
import Synchronization

/// An open folder. Files below it are reached from its descriptor, without following symbolic
/// links.
final class Folder {
  let descriptor: Int32

  /// Opens the served folder. Links in its own path are followed.
  /// - Parameter identity: the expected folder; nil accepts any.
  /// - Throws: `offline` for another folder, whose owner is not known.
  init(path: String, identity: FolderIdentity? = nil) throws(PluginError) {
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure(errno, "The folder cannot be opened", whole: true) }
    guard let identity else { return }
    guard self.identity == identity else {
      throw PluginError(.offline, "Another folder has the path of the library's folder. Put the right one back.")
    }
  }

  private init(descriptor: Int32) { self.descriptor = descriptor }

  /// Whether inode numbers are stable. FAT and exFAT store none: the kernel counts them up, and
  /// starts again after a mount or under memory pressure, so another file soon gets the number.
  /// Birth times do not help, because all pictures of a burst share one.
  lazy var hasLastingInodes = !Self.withoutInodes.contains(directory_file_system(descriptor))

  /// Magic numbers of vfat (and msdos) and exfat.
  private static let withoutInodes: Set<Int> = [0x4d44, 0x2011_bab0]

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The folder's identity; nil if it cannot be read.
  var identity: FolderIdentity? {
    guard case .success(let facts) = look(".") else { return nil }
    return FolderIdentity(
      device: (UInt32(truncatingIfNeeded: facts.device >> 32), UInt32(truncatingIfNeeded: facts.device)),
      inode: facts.inode,
      bornNanoseconds: facts.birth_nanoseconds)
  }

  /// The owner's user number; nil if it cannot be read.
  var owner: UInt32? { if case .success(let facts) = look(".") { facts.uid } else { nil } }

  // MARK: Folders below

  /// Opens a subfolder.
  /// - Returns: nil if the name does not exist or is no folder.
  func child(_ name: String) throws(PluginError) -> Folder? {
    let next = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    guard next >= 0 else {
      let cause = errno
      guard cause == ENOENT || cause == ENOTDIR || cause == ELOOP else {
        throw Self.failure(cause, "A folder cannot be opened")
      }
      return nil
    }
    return Folder(descriptor: next)
  }

  func folderIfPresent(_ path: RelativePath) throws(PluginError) -> Folder? {
    var current = self
    for name in path.components {
      guard let next = try current.child(name) else { return nil }
      current = next
    }
    return current
  }

  func makeFolder(_ name: String) throws(PluginError) -> Folder {
    let cause = creating { mode in mkdirat(descriptor, name, 0o700 | mode & 0o070) }
    if cause != 0, cause != EEXIST { throw Self.failure(cause, "A folder cannot be made") }
    guard let made = try child(name) else {
      throw PluginError(
        .readOnly, "A folder cannot be made: a file or a link has its name. Move it away.")
    }
    return made
  }

  func makeFolders(_ path: RelativePath) throws(PluginError) -> Folder {
    var current = self
    for name in path.components { current = try current.makeFolder(name) }
    return current
  }

  /// The umask belongs to the whole process, and trusted plugins use several threads.
  private static let mask = Mutex<Void>(())

  /// Creates a file or folder with the group rights of this folder. People who share the folder
  /// with the broker through a group can then read and delete added files; others get no rights. A
  /// default ACL of the folder takes precedence.
  /// - Parameter make: gets the mode; its group bits count.
  /// - Returns: 0 or `errno`.
  private func creating(_ make: (mode_t) -> Int32) -> Int32 {
    let mode = directory_shared_mode(descriptor)
    return Self.mask.withLock { _ in
      let before = umask(0o007)
      defer { umask(before) }
      return make(mode_t(mode)) < 0 ? errno : 0
    }
  }

  /// Opens a new or truncated file for writing.
  func makeFile(_ name: String, _ flags: Int32) throws(PluginError) -> Int32 {
    var file: Int32 = -1
    let cause = creating { mode in
      file = openat(descriptor, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0o600 | mode & 0o060)
      return file
    }
    guard cause == 0 else { throw Self.failure(cause, "A file cannot be made") }
    return file
  }

  var isWritable: Bool { faccessat(descriptor, ".", W_OK, 0) == 0 }

  /// Identity of the folder on its file system. It mostly survives a remount of the disk.
  func volumeIdentity() throws(PluginError) -> String {
    var volume: UInt64 = 0
    let cause = directory_volume(descriptor, &volume)
    guard cause == 0 else { throw Self.failure(cause, "The file system cannot be identified") }
    switch look(".") {
    case .success(let facts): return "\(String(volume, radix: 16)):\(facts.inode):\(facts.birth_nanoseconds)"
    case .failure(let failure): throw Self.failure(failure.number, "The folder cannot be read")
    }
  }

  // MARK: Entries

  /// All visible names that are valid UTF-8.
  func names() throws(PluginError) -> [String] {
    var names: [String] = []
    try eachName { if let name = $0 { names.append(name) } }
    return names
  }

  /// Calls `body` with every visible name, or with nil for a name that is not UTF-8.
  /// - Throws: if reading stops before the end; `body` got the names before it.
  func eachName(_ body: (String?) -> Void) throws(PluginError) {
    try eachEntry { name, bytes, _ in if UInt8(bitPattern: bytes.pointee) != UInt8(ascii: ".") { body(name) } }
  }

  /// All hidden names that are valid UTF-8.
  func hiddenNames() throws(PluginError) -> [String] {
    var names: [String] = []
    try eachEntry { name, _, _ in if let name, name.utf8.first == UInt8(ascii: ".") { names.append(name) } }
    return names
  }

  /// Calls `body` with every name but `.` and `..`: as text, which is nil if it is not UTF-8, as
  /// bytes, and the entry's type.
  func eachEntry(_ body: (String?, UnsafePointer<CChar>, UInt8) -> Void) throws(PluginError) {
    // A separate descriptor, because reading moves its position.
    let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { throw Self.failure(errno, "A folder cannot be read") }
    guard let stream = fdopendir(copy) else {
      let cause = errno
      close(copy)
      throw Self.failure(cause, "A folder cannot be read")
    }
    defer { closedir(stream) }
    while true {
      // `readdir` signals errors by errno alone: a failing disk must not look like an empty folder.
      errno = 0
      guard let entry = readdir(stream) else { break }
      let kind = entry.pointee.d_type
      withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { bytes in
          guard strcmp(bytes, ".") != 0, strcmp(bytes, "..") != 0 else { return }
          body(
            String(validating: UnsafeRawBufferPointer(start: bytes, count: strlen(bytes)), as: UTF8.self), bytes, kind)
        }
      }
    }
    let cause = errno
    guard cause == 0 else { throw Self.failure(cause, "A folder cannot be read") }
  }

  /// Names that may be folders, without a system call for each if the file system reports types.
  func folderNames() throws(PluginError) -> [String] {
    var names: [String] = []
    try eachEntry { name, _, kind in
      if let name, kind == UInt8(DT_DIR) || kind == UInt8(DT_UNKNOWN) { names.append(name) }
    }
    return names
  }

  func exists(_ name: String) -> Bool {
    var facts = directory_entry_facts()
    return directory_entry_look(descriptor, name, &facts) == 0
  }

  func look(_ name: UnsafePointer<CChar>) -> Result<directory_entry_facts, SystemFailure> {
    var facts = directory_entry_facts()
    let cause = directory_entry_look(descriptor, name, &facts)
    return cause == 0 ? .success(facts) : .failure(SystemFailure(number: cause))
  }

  /// The kind of a file by its first bytes; `other` if they cannot be read.
  func kind(of name: String) -> FileKind {
    let file = openat(descriptor, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return .other }
    defer { close(file) }
    return withUnsafeTemporaryAllocation(byteCount: FileKind.signatureBytes, alignment: 1) { head in
      FileKind(name, signature: head.prefix(max(0, read(file, head.baseAddress, head.count))))
    }
  }

  // MARK: Small files

  func keep(_ text: String, as name: String) throws(PluginError) {
    let file = try makeFile(name, O_TRUNC)
    defer { close(file) }
    var text = text
    let written = text.withUTF8 { write(file, $0.baseAddress, $0.count) }
    guard written == text.utf8.count, fsync(file) == 0 else {
      throw Self.failure(written < 0 ? errno : ENOSPC, "A file cannot be written")
    }
  }

  /// Reads a small file; nil if it does not exist.
  func text(of name: String) -> String? {
    let file = openat(descriptor, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 8_192)
    let count = read(file, &bytes, bytes.count)
    return count > 0 ? String(validating: bytes[..<count], as: UTF8.self) : nil
  }
}
