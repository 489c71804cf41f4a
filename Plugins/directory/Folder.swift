import CDirectoryStorage
import Glibc
import PhotoModel
import PluginKit
import Synchronization

/// An open folder: everything below is reached from its descriptor, and symbolic links are never followed.
final class Folder {
  let descriptor: Int32

  /// The served folder itself; here, and only here, a link in the path is followed.
  /// - Parameter identity: Which one it is; nil: any.
  /// - Throws: `offline` where another one is there: it may be anybody's.
  init(path: String, identity: FolderIdentity? = nil) throws(PluginError) {
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure(errno, "The folder cannot be opened", whole: true) }
    guard let identity else { return }
    guard self.identity == identity else {
      throw PluginError(.offline, "Another folder is in the place of the library's.")
    }
  }

  private init(descriptor: Int32) { self.descriptor = descriptor }

  /// Whether a file here has the same inode number whenever it is looked up. FAT and exFAT have
  /// none on the disk: the kernel counts up as files are looked up, and begins anew when the disk
  /// is mounted or memory is short, so that a number is soon another file's. Their times of birth
  /// are no help: those of a burst are the same.
  lazy var hasLastingInodes = !Self.withoutInodes.contains(directory_file_system(descriptor))

  /// vfat and msdos, exfat: by their magic numbers.
  private static let withoutInodes: Set<Int> = [0x4d44, 0x2011_bab0]

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Which folder it is; nil where that cannot be told.
  var identity: FolderIdentity? {
    guard case .success(let facts) = look(".") else { return nil }
    return FolderIdentity(
      device: (UInt32(truncatingIfNeeded: facts.device >> 32), UInt32(truncatingIfNeeded: facts.device)),
      inode: facts.inode,
      bornNanoseconds: facts.birth_nanoseconds)
  }

  /// The user whose it is; nil where that cannot be told.
  var owner: UInt32? { if case .success(let facts) = look(".") { facts.uid } else { nil } }

  // MARK: Folders below

  /// One folder below.
  /// - Returns: Nil where there is none of that name, or something else that bears it.
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
        .readOnly, "A folder cannot be made: something else, a file or a link, has its name. Move that away.")
    }
    return made
  }

  func makeFolders(_ path: RelativePath) throws(PluginError) -> Folder {
    var current = self
    for name in path.components { current = try current.makeFolder(name) }
    return current
  }

  /// The process's mask is everybody's in it, and some trusted plugins' objects work at the same time.
  private static let mask = Mutex<Void>(())

  /// Makes something in this folder that its group has the rights to which it has to the folder, as
  /// whoever shares it with the broker by a group needs to read what is added, and to take it away;
  /// others never have any. Where the folder has an access list for what is made in it, that one
  /// says it.
  /// - Parameter make: Is given the mode of which the group's bits count.
  /// - Returns: 0, or the error number.
  private func creating(_ make: (mode_t) -> Int32) -> Int32 {
    let mode = directory_shared_mode(descriptor)
    return Self.mask.withLock { _ in
      let before = umask(0o007)
      defer { umask(before) }
      return make(mode_t(mode)) < 0 ? errno : 0
    }
  }

  /// Opens a file that is new in this folder, or emptied, for writing.
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

  /// What stays the same for as long as the same folder of the same file system is here, and mostly
  /// when its disk returns.
  func volumeIdentity() throws(PluginError) -> String {
    var volume: UInt64 = 0
    let cause = directory_volume(descriptor, &volume)
    guard cause == 0 else { throw Self.failure(cause, "The file system cannot be told") }
    switch look(".") {
    case .success(let facts): return "\(String(volume, radix: 16)):\(facts.inode):\(facts.birth_nanoseconds)"
    case .failure(let failure): throw Self.failure(failure.number, "The folder cannot be read")
    }
  }

  // MARK: What is in it

  /// The names of everything that is not hidden, as far as they are text.
  func names() throws(PluginError) -> [String] {
    var names: [String] = []
    try eachName { if let name = $0 { names.append(name) } }
    return names
  }

  /// Calls `body` with every name, nil for one that is not UTF-8; hidden ones are left out.
  /// - Throws: when the folder cannot be read to its end, after what could be read.
  func eachName(_ body: (String?) -> Void) throws(PluginError) { try eachEntry { name, _ in body(name) } }

  /// The names of what is hidden, as far as they are text.
  func hiddenNames() throws(PluginError) -> [String] {
    var names: [String] = []
    try eachEntry(hidden: true) { name, _ in if let name, name != ".", name != ".." { names.append(name) } }
    return names
  }

  private func eachEntry(hidden: Bool = false, _ body: (String?, UInt8) -> Void) throws(PluginError) {
    // A descriptor of its own: reading a folder moves a position.
    let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { throw Self.failure(errno, "A folder cannot be read") }
    guard let stream = fdopendir(copy) else {
      let cause = errno
      close(copy)
      throw Self.failure(cause, "A folder cannot be read")
    }
    defer { closedir(stream) }
    while true {
      // readdir tells its end and an error apart by errno alone: a dying disk must not look like an empty folder.
      errno = 0
      guard let entry = readdir(stream) else { break }
      let kind = entry.pointee.d_type
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: UInt8.self, capacity: 256) { bytes -> String?? in
          if (bytes.pointee == UInt8(ascii: ".")) != hidden { return nil }
          let length = strnlen(UnsafePointer<CChar>(OpaquePointer(bytes)), 256)
          return .some(String(validating: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self))
        }
      }
      if let name { body(name, kind) }
    }
    let cause = errno
    guard cause == 0 else { throw Self.failure(cause, "A folder cannot be read") }
  }

  /// The names of what may be folders; where the file system says what each thing is, without looking at any.
  func folderNames() throws(PluginError) -> [String] {
    var names: [String] = []
    try eachEntry { name, kind in
      if let name, kind == UInt8(DT_DIR) || kind == UInt8(DT_UNKNOWN) { names.append(name) }
    }
    return names
  }

  func exists(_ name: String) -> Bool {
    var facts = directory_entry_facts()
    return directory_entry_look(descriptor, name, &facts) == 0
  }

  /// What a name is, or an error number.
  func look(_ name: String) -> Result<directory_entry_facts, SystemFailure> {
    var facts = directory_entry_facts()
    let cause = directory_entry_look(descriptor, name, &facts)
    return cause == 0 ? .success(facts) : .failure(SystemFailure(number: cause))
  }

  // MARK: Small texts

  /// Writes a small text into a new file.
  func keep(_ text: String, as name: String) throws(PluginError) {
    let file = try makeFile(name, O_TRUNC)
    defer { close(file) }
    var text = text
    let written = text.withUTF8 { write(file, $0.baseAddress, $0.count) }
    guard written == text.utf8.count, fsync(file) == 0 else {
      throw Self.failure(written < 0 ? errno : ENOSPC, "A file cannot be written")
    }
  }

  /// A small text back; nil where there is none.
  func text(of name: String) -> String? {
    let file = openat(descriptor, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 8_192)
    let count = read(file, &bytes, bytes.count)
    return count > 0 ? String(validating: bytes[..<count], as: UTF8.self) : nil
  }
}
