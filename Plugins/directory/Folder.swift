import CDirectoryStorage
import Glibc
import PhotoModel
import PluginKit

/// An open folder: everything below is reached from its descriptor, and symbolic links are never followed.
final class Folder {
  let descriptor: Int32

  init(path: String) throws(PluginError) {
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure(errno, "The folder cannot be opened") }
  }

  private init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// A folder below, by a path without links.
  func folder(_ path: String) throws(PluginError) -> Folder {
    var current = dup(descriptor)
    for part in path.split(separator: "/") {
      let next = openat(current, String(part), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
      let cause = errno
      close(current)
      guard next >= 0 else { throw Self.failure(cause, "A folder cannot be opened") }
      current = next
    }
    guard current >= 0 else { throw Self.failure(EMFILE, "A folder cannot be opened") }
    return Folder(descriptor: current)
  }

  func makeFolder(_ name: String) throws(PluginError) -> Folder {
    if mkdirat(descriptor, name, 0o770) != 0, errno != EEXIST { throw Self.failure(errno, "A folder cannot be made") }
    return try folder(name)
  }

  var isWritable: Bool { faccessat(descriptor, ".", W_OK, 0) == 0 }

  func exists(_ name: String) -> Bool {
    var facts = directory_entry_facts()
    return directory_entry_look(descriptor, name, &facts) == 0
  }

  /// Names that are text; names that are not are left to the walk to count.
  func names() throws(PluginError) -> [String] {
    var names: [String] = []
    _ = try eachName { if let name = $0 { names.append(name) } }
    return names
  }

  /// Calls `body` with every name, nil for one that is not UTF-8, hidden ones left out.
  func eachName(_ body: (String?) -> Void) throws(PluginError) {
    // A descriptor of its own: reading a folder moves a position.
    let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let stream = fdopendir(copy) else { throw Self.failure(errno, "A folder cannot be read") }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: UInt8.self, capacity: 256) { bytes -> String?? in
          if bytes.pointee == UInt8(ascii: ".") { return nil }
          return .some(String(validating: UnsafeBufferPointer(start: bytes, count: strnlen(UnsafePointer<CChar>(OpaquePointer(bytes)), 256)), as: UTF8.self))
        }
      }
      if let name { body(name) }
    }
  }

  func look(_ name: String) -> directory_entry_facts? {
    var facts = directory_entry_facts()
    return directory_entry_look(descriptor, name, &facts) == 0 ? facts : nil
  }

  func file(_ name: String, below folder: String, role: ResourceRole) throws(PluginError) -> ItemFile {
    guard let facts = look(name) else { throw Self.failure(errno, "An added file cannot be found again") }
    return ItemFile(facts, name: name, locator: folder.isEmpty ? name : "\(folder)/\(name)", role: role)
  }

  /// Moves a file out; one that is gone counts as moved.
  func move(_ locator: String, to other: Folder, as name: String) throws(PluginError) {
    let (folder, last) = try split(locator)
    let result = directory_entry_move(folder.descriptor, last, other.descriptor, String(name.prefix(250)))
    guard result == 0 || result == ENOENT || result == EEXIST else { throw Self.failure(result, "A file cannot be moved into the trash") }
  }

  func moveBack(_ name: String, to root: Folder, as locator: String) throws(PluginError) {
    let (folder, last) = try root.split(locator)
    let result = directory_entry_move(descriptor, name, folder.descriptor, last)
    guard result == 0 else { throw Self.failure(result, "A file cannot be brought back from the trash") }
  }

  private func split(_ locator: String) throws(PluginError) -> (Folder, String) {
    let parts = locator.split(separator: "/").map(String.init)
    guard let last = parts.last, !parts.contains("..") else { throw PluginError(.notFound, "There is no such file.") }
    return (try folder(parts.dropLast().joined(separator: "/")), last)
  }

  static func failure(_ cause: Int32, _ what: String) -> PluginError {
    let reason = String(cString: strerror(cause))
    return switch cause {
    case EROFS, EACCES, EPERM: PluginError(.readOnly, "\(what) (\(reason)); let the broker's user in, for instance by an access list.")
    case ENOSPC, EDQUOT: PluginError(.noSpace, "\(what): \(reason).")
    case ENOENT, ENOTDIR, EIO, ENODEV, ENXIO, ESTALE, ETIMEDOUT: PluginError(.offline, "\(what): \(reason).")
    default: PluginError(.failed, "\(what): \(reason).")
    }
  }
}

extension ItemFile {
  init(_ facts: directory_entry_facts, name: String, locator: String, role: ResourceRole) {
    let nanoseconds = "\(facts.modified_seconds).\(facts.modified_nanoseconds)"
    let microseconds = facts.modified_seconds.multipliedReportingOverflow(by: 1_000_000)
    self.init(
      role: role, locator: locator, filename: name, size: facts.size, contentVersion: "\(facts.size) \(nanoseconds) \(facts.inode)",
      identityHint: "\(facts.device):\(facts.inode):\(facts.birth_nanoseconds)",
      modified: Timestamp(microseconds: microseconds.overflow ? 0 : microseconds.partialValue &+ facts.modified_nanoseconds / 1_000))
  }
}
