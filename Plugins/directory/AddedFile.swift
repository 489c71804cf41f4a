import CDirectoryStorage
import Glibc
import PhotoModel
import PluginKit

/// Writes a file whole and durable, or not at all, and never over another one.
enum AddedFile {
  private static let attempts = 16
  /// What a file is called while it is written.
  private static let (prefix, ending) = (".photobroker-", ".part")
  /// Seconds after which nobody writes any more: the longest deadline of adding is some hours.
  private static let abandonedAfter: Int64 = 24 * 3_600

  /// Where the file is, below the folder.
  static func write(
    _ contents: Int32, size: Int64, name: String, into folder: Folder, _ settings: WalkSettings
  ) throws(PluginError) -> String {
    try check(name, settings)
    return try publish(stage(contents, size: size, in: folder), as: name, in: folder, settings)
  }

  /// Writes a file under a name that no walk finds, and answers that name.
  static func stage(_ contents: Int32, size: Int64, in folder: Folder) throws(PluginError) -> String {
    sweep(folder)
    let temporary = hiddenName()
    let file = try folder.makeFile(temporary, O_EXCL)
    defer { close(file) }
    do throws(PluginError) {
      try copy(contents, to: file, size: size)
      for changed in [file, folder.descriptor] {
        guard fsync(changed) == 0 else { throw Folder.failure(errno, "A file cannot be saved") }
      }
      return temporary
    } catch {
      unlinkat(folder.descriptor, temporary, 0)
      throw error
    }
  }

  /// Gives a staged file its name, or takes it away. Where it is, below the folder.
  static func publish(
    _ staged: String, as name: String, in folder: Folder, _ settings: WalkSettings
  ) throws(PluginError) -> String {
    try check(name, settings)
    guard isStaged(staged), case .success(let facts) = folder.look(staged),
      facts.mode & UInt32(S_IFMT) == UInt32(S_IFREG)
    else {
      throw PluginError(.notFound, "No such file waits to be named.")
    }
    var place = staged
    do throws(PluginError) {
      let kept = try move(&place, as: name, in: folder)
      guard fsync(folder.descriptor) == 0 else { throw Folder.failure(errno, "A folder cannot be saved") }
      return kept
    } catch {
      // What is answered as failed has left nothing, whichever name it has by now.
      try remove(place, that: facts, from: folder)
      throw error
    }
  }

  static func discard(_ staged: String, in folder: Folder) throws(PluginError) {
    guard isStaged(staged), case .success(let facts) = folder.look(staged),
      facts.mode & UInt32(S_IFMT) == UInt32(S_IFREG)
    else { return }
    guard unlinkat(folder.descriptor, staged, 0) == 0 || errno == ENOENT else {
      throw Folder.failure(errno, "A file that nobody wants cannot be taken away")
    }
  }

  /// Takes away a file that may have its name already, and not another one that came into its place.
  /// - Throws: where the file may be there still: not of a kind that says that nothing is.
  private static func remove(_ place: String, that facts: directory_entry_facts, from folder: Folder)
    throws(PluginError)
  {
    guard case .success(let now) = folder.look(place), now.device == facts.device, now.inode == facts.inode else {
      return
    }
    guard unlinkat(folder.descriptor, place, 0) == 0 || errno == ENOENT else {
      throw PluginError(
        .failed, Folder.failure(errno, "A file that cannot be named cannot be taken away either").message)
    }
    fsync(folder.descriptor)
  }

  private static func isStaged(_ name: String) -> Bool {
    name.hasPrefix(prefix) && name.hasSuffix(ending) && !name.utf8.contains(UInt8(ascii: "/")) && !name.utf8.contains(0)
  }

  private static func check(_ name: String, _ settings: WalkSettings) throws(PluginError) {
    guard !name.isEmpty, name.utf8.count <= 200, name.utf8.first != UInt8(ascii: "."),
      !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f || $0 == 0x2f })
    else {
      throw PluginError(
        .failed, "The file name must have 1 to 200 bytes, no slash and no control characters, and not begin with a dot."
      )
    }
    // What no walk finds would be kept and never seen again.
    guard !settings.ignores(name), [.photo, .raw, .video].contains(FileKind(name)) else {
      throw PluginError(.failed, "Files of this name are left out of the library; choose another one.")
    }
  }

  /// Takes away what was being written when the process or the machine ended.
  static func sweep(_ folder: Folder) {
    for name in (try? folder.hiddenNames()) ?? [] where isStaged(name) {
      guard case .success(let facts) = folder.look(name), facts.uid == geteuid(),
        Int64(time(nil)) - facts.modified_seconds > abandonedAfter
      else { continue }
      switch facts.mode & UInt32(S_IFMT) {
      case UInt32(S_IFREG): unlinkat(folder.descriptor, name, 0)
      // Only an empty one goes.
      case UInt32(S_IFDIR): unlinkat(folder.descriptor, name, AT_REMOVEDIR)
      default: break
      }
    }
  }

  private static func copy(_ source: Int32, to file: Int32, size: Int64) throws(PluginError) {
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    var offset: Int64 = 0
    while offset < size {
      let count = pread(source, &buffer, Int(min(Int64(buffer.count), size - offset)), off_t(offset))
      guard count > 0 else { throw PluginError(.failed, "The bytes end before they should.") }
      var written = 0
      while written < count {
        let result = buffer.withUnsafeBytes { Glibc.write(file, $0.baseAddress.map { $0 + written }, count - written) }
        guard result > 0 else { throw Folder.failure(errno, "A file cannot be written") }
        written += result
      }
      offset += Int64(count)
    }
  }

  /// Under its own name, and beside files of its family in a folder of its own: the app that added
  /// it sees the name, which must not tell what else is there, and files of one family are taken
  /// for one photo. Nor must the time that it takes: whether the name is free or not, the folder is
  /// looked through twice, and a folder is made and saved.
  /// - Parameter place: Where it is, also where this fails.
  private static func move(_ place: inout String, as name: String, in folder: Folder) throws(PluginError) -> String {
    if try !hasRelatives(of: name, in: folder) {
      let result = directory_entry_move(folder.descriptor, place, folder.descriptor, name)
      guard result == 0 || result == EEXIST else { throw Folder.failure(result, "A file cannot be named") }
      if result == 0 {
        place = name
        // One that another process added in the same moment may not have been there before.
        guard (try? hasRelatives(of: name, in: folder, besides: name)) ?? false else {
          makeNeedlessFolder(in: folder)
          return name
        }
      }
    } else {
      _ = try hasRelatives(of: name, in: folder)
    }
    for _ in 0..<attempts {
      let own = String(UInt32.random(in: .min ... .max), radix: 16)
      guard !folder.exists(own) else { continue }
      let inner = try folder.makeFolder(own)
      let result = directory_entry_move(folder.descriptor, place, inner.descriptor, name)
      if result == 0 {
        place = own + "/" + name
        guard fsync(inner.descriptor) == 0 else { throw Folder.failure(errno, "A folder cannot be saved") }
        return place
      }
      guard result == EEXIST else { throw Folder.failure(result, "A file cannot be named") }
    }
    throw PluginError(.failed, "No free place was found for the file.")
  }

  /// What it costs to have a folder of its own, for a file that needs none. It is gone again, also
  /// where this is cut off: see `sweep`.
  private static func makeNeedlessFolder(in folder: Folder) {
    let name = hiddenName()
    guard let made = try? folder.makeFolder(name) else { return }
    fsync(made.descriptor)
    unlinkat(folder.descriptor, name, AT_REMOVEDIR)
  }

  private static func hiddenName() -> String { "\(prefix)\(UInt64.random(in: .min ... .max))\(ending)" }

  private static func hasRelatives(of name: String, in folder: Folder, besides known: String? = nil) throws(PluginError)
    -> Bool
  {
    let family = NameFamily.of(name)
    let known = known.map { ExactText($0) }
    var found = false
    try folder.eachName { other in
      if let other, ExactText(other) != known, NameFamily.of(other) == family { found = true }
    }
    return found
  }
}
