import CDirectoryStorage
import Glibc
import PhotoModel
import PluginKit

/// Writes new files completely and durably, or not at all, and never over another file.
enum AddedFile {
  private static let attempts = 16
  private static let (prefix, ending) = (".photobroker-", ".part")
  /// Age in seconds of an abandoned file. The longest timeout of adding is some hours.
  private static let abandonedAfter: Int64 = 24 * 3_600

  /// Returns the new file's path below the folder.
  static func write(
    _ contents: Int32, size: Int64, name: String, into folder: Folder, _ settings: WalkSettings
  ) throws(PluginError) -> String {
    try check(name, settings)
    return try publish(stage(contents, size: size, in: folder), as: name, in: folder, settings)
  }

  /// Writes a file under a name that no scan finds, and returns that name.
  static func stage(_ contents: Int32, size: Int64, in folder: Folder) throws(PluginError) -> String {
    sweep(folder)
    let temporary = hiddenName()
    let file = try folder.makeFile(temporary, O_EXCL)
    defer { close(file) }
    do throws(PluginError) {
      try copy(contents, to: file, size: size)
      for changed in [file, folder.descriptor] {
        guard fsync(changed) == 0 else { throw Folder.failure(errno, "A file cannot be written to disk") }
      }
      return temporary
    } catch {
      unlinkat(folder.descriptor, temporary, 0)
      throw error
    }
  }

  /// Names a staged file, or deletes it on failure. Returns its path below the folder.
  static func publish(
    _ staged: String, as name: String, in folder: Folder, _ settings: WalkSettings
  ) throws(PluginError) -> String {
    try check(name, settings)
    guard isStaged(staged), case .success(let facts) = folder.look(staged), facts.isFile else {
      throw PluginError(.notFound, "There is no such staged file. Stage it again.")
    }
    var place = staged
    do throws(PluginError) {
      let kept = try move(&place, as: name, in: folder)
      guard fsync(folder.descriptor) == 0 else { throw Folder.failure(errno, "A folder cannot be written to disk") }
      return kept
    } catch {
      // A failed call leaves no file, under either name.
      try remove(place, that: facts, from: folder)
      throw error
    }
  }

  static func discard(_ staged: String, in folder: Folder) throws(PluginError) {
    guard isStaged(staged), case .success(let facts) = folder.look(staged), facts.isFile else { return }
    guard unlinkat(folder.descriptor, staged, 0) == 0 || errno == ENOENT else {
      throw Folder.failure(errno, "A staged file cannot be deleted")
    }
  }

  /// Deletes a file that may have its final name already, unless another file took its place.
  /// - Throws: `failed` if the file may still exist. Other codes would say that no file was left.
  private static func remove(_ place: String, that facts: directory_entry_facts, from folder: Folder)
    throws(PluginError)
  {
    guard case .success(let now) = folder.look(place), now.device == facts.device, now.inode == facts.inode else {
      return
    }
    guard unlinkat(folder.descriptor, place, 0) == 0 || errno == ENOENT else {
      throw PluginError(
        .failed, Folder.failure(errno, "A file could be neither published nor deleted").message)
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
    // No scan would ever list the file.
    guard !settings.ignores(name), [.photo, .raw, .video].contains(FileKind(name)) else {
      throw PluginError(.failed, "The library ignores files of this name. Choose another name.")
    }
  }

  /// Deletes files left over from a process or machine that stopped while writing.
  static func sweep(_ folder: Folder) {
    for name in (try? folder.hiddenNames()) ?? [] where isStaged(name) {
      guard case .success(let facts) = folder.look(name), facts.uid == geteuid(),
        Int64(time(nil)) - facts.modified_seconds > abandonedAfter
      else { continue }
      if facts.isFile { unlinkat(folder.descriptor, name, 0) }
      // Removes empty folders only.
      if facts.isFolder { unlinkat(folder.descriptor, name, AT_REMOVEDIR) }
    }
  }

  private static func copy(_ source: Int32, to file: Int32, size: Int64) throws(PluginError) {
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    var offset: Int64 = 0
    while offset < size {
      let count = pread(source, &buffer, Int(min(Int64(buffer.count), size - offset)), off_t(offset))
      guard count > 0 else { throw PluginError(.failed, "The file ended before its announced size. Send it again.") }
      var written = 0
      while written < count {
        let result = buffer.withUnsafeBytes { Glibc.write(file, $0.baseAddress.map { $0 + written }, count - written) }
        guard result > 0 else { throw Folder.failure(errno, "A file cannot be written") }
        written += result
      }
      offset += Int64(count)
    }
  }

  /// Moves a file to its name, or into a new folder if files of its family exist.
  ///
  /// The file keeps its name, because a changed one would tell the app that other files exist. In
  /// the same folder, files of one family would become one photo. The duration must not tell
  /// either: in both cases the folder is read twice, and one folder is created and synced.
  /// - Parameter place: the file's current path, also after a failure.
  private static func move(_ place: inout String, as name: String, in folder: Folder) throws(PluginError) -> String {
    if try !hasRelatives(of: name, in: folder) {
      let result = directory_entry_move(folder.descriptor, place, folder.descriptor, name)
      guard result == 0 || result == EEXIST else { throw Folder.failure(result, "A file cannot be published") }
      if result == 0 {
        place = name
        // Another process may have added a relative since the first check.
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
        guard fsync(inner.descriptor) == 0 else { throw Folder.failure(errno, "A folder cannot be written to disk") }
        return place
      }
      guard result == EEXIST else { throw Folder.failure(result, "A file cannot be published") }
    }
    throw PluginError(.failed, "No free name was found for the file. Choose another name.")
  }

  /// Spends the time of a new folder for a file that needs none. `sweep` removes it if the process
  /// stops in between.
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
