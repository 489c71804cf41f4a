import Glibc
import PluginKit

/// Where rclone finds its remotes and their accounts: a file of the broker's user, or a text that
/// only this process has.
///
/// What rclone renews it puts beside its configuration and gives it that name. So of a file it gets
/// a copy, in the only folder where this process may make any; the file itself, which may be
/// written because an option names it, is given what the copy has become.
final class RcloneConfiguration {
  /// The number that the text's file has in rclone's process.
  static let numberInChild: Int32 = 3

  /// For `--config`.
  let path: String
  /// Of the text; nil where there is a file.
  let descriptor: Int32?
  /// For rclone's environment, which nobody but the broker's user can look at.
  let variables: [String]
  /// The file that ``path`` is a copy of.
  private let source: String?
  /// What is in both.
  private var copied: [UInt8] = []

  /// - Parameter folder: Where nobody else enters and this process may make files; nil: there is none.
  /// - Throws: `invalidOption`.
  init(_ options: PluginOptions, in folder: String? = RcloneConfiguration.ownFolder) throws(PluginError) {
    variables =
      (options["configPassword"].map { ["RCLONE_CONFIG_PASS=\($0)"] } ?? []) + (folder.map { ["TMPDIR=\($0)"] } ?? [])
    switch (options["config"], options["configuration"]) {
    case (let file?, nil):
      try Self.check(file)
      (path, source, descriptor) = (folder.map { Self.newName(in: $0) } ?? file, folder == nil ? nil : file, nil)
    case (nil, let text?):
      descriptor = try Self.file(with: text, in: folder)
      (path, source) = ("/proc/self/fd/\(Self.numberInChild)", nil)
    default:
      throw PluginError(
        .invalidOption,
        "Give either option \"config\", the path of rclone's configuration, or the credential \"configuration\", what is in one."
      )
    }
  }

  deinit {
    if let descriptor { close(descriptor) }
    if source != nil { unlink(path) }
  }

  /// The process's own, which nobody else enters; nil where it has none, as inside of the daemon.
  static var ownFolder: String? {
    guard let path = getenv("TMPDIR").map({ String(cString: $0) }) else { return nil }
    var facts = stat()
    guard lstat(path, &facts) == 0, facts.st_mode & (S_IFMT | 0o077) == S_IFDIR, facts.st_uid == geteuid() else {
      return nil
    }
    return path
  }

  private static func newName(in folder: String) -> String {
    "\(folder)/rclone-\(UInt64.random(in: .min ... .max)).conf"
  }

  /// Before each run of rclone: the copy is what the file is now.
  /// - Throws: `offline`.
  func refresh() throws(PluginError) {
    guard let source else { return }
    guard let now = Self.read(source) else {
      throw PluginError(.offline, "The file of option \"config\" cannot be read any more.")
    }
    guard now != copied else { return }
    let new = path + ".new"
    guard Self.write(now, to: new, O_CREAT | O_TRUNC), rename(new, path) == 0 else {
      throw PluginError(.offline, "There is no room for a copy of rclone's configuration.")
    }
    copied = now
  }

  /// After each run: what rclone renewed is kept in the file, unless somebody else has changed that meanwhile.
  func keep() {
    guard let source, let now = Self.read(path), !now.isEmpty, now != copied, Self.read(source) == copied else {
      return
    }
    if Self.write(now, to: source, 0) { copied = now }
  }

  /// At most as much as any account needs.
  private static let limit = 1 << 20

  private static func read(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: limit)
    var count = 0
    while count < bytes.count {
      let piece = bytes.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress.map { $0 + count }, $0.count - count) }
      if piece < 0 { return nil }
      if piece == 0 { break }
      count += piece
    }
    return count < limit ? Array(bytes[..<count]) : nil
  }

  private static func write(_ bytes: [UInt8], to path: String, _ flags: Int32) -> Bool {
    let file = open(path, O_WRONLY | O_CLOEXEC | flags, 0o600)
    guard file >= 0 else { return false }
    defer { close(file) }
    return write(bytes, to: file) && ftruncate(file, off_t(bytes.count)) == 0 && fsync(file) == 0
  }

  private static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// The configuration holds an account's password or key.
  private static func check(_ path: String) throws(PluginError) {
    var facts = stat()
    guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      throw PluginError(
        .invalidOption, "Option \"config\" must be the absolute path of a file that the broker's user can read.")
    }
    // Another library's account lies there.
    guard !isInState(path) else {
      throw PluginError(
        .invalidOption, "Option \"config\" names a file of the broker's own state; put the configuration elsewhere.")
    }
    guard facts.st_uid == geteuid(), facts.st_mode & 0o077 == 0 else {
      throw PluginError(
        .invalidOption,
        "The file of option \"config\" holds an account: make it the broker's user's own, with mode 0600.")
    }
  }

  /// Whether a folder above the file is the broker's state, whichever way leads there.
  private static func isInState(_ path: String) -> Bool {
    guard let real = realpath(path, nil) else { return true }
    defer { free(real) }
    var folder = String(cString: real)[...]
    while let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) {
      folder = folder[..<slash]
      if access(folder + "/state.db", F_OK) == 0 { return true }
    }
    return false
  }

  /// A file without a name, by which another plugin's process of the same user could open it: it
  /// has one for a moment in the process's own folder, which no other one reaches, and none at all
  /// where there is no such folder.
  private static func file(with text: String, in folder: String?) throws(PluginError) -> Int32 {
    let file =
      folder.map { folder in
        let path = newName(in: folder)
        let file = open(path, O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL, 0o600)
        unlink(path)
        return file
      } ?? nameless()
    if file >= 0, write(Array(text.utf8), to: file) { return file }
    if file >= 0 { close(file) }
    throw PluginError(.offline, "There is no room for rclone's configuration, or no way to keep a file without a name.")
  }

  /// In memory where the machine has such a folder.
  private static func nameless() -> Int32 {
    // O_TMPFILE, which Swift does not see without _GNU_SOURCE.
    let temporary: Int32 = 0o20_000_000 | O_DIRECTORY
    let inMemory = open("/dev/shm", O_RDWR | O_CLOEXEC | O_EXCL | temporary, 0o600)
    return inMemory >= 0 ? inMemory : open("/tmp", O_RDWR | O_CLOEXEC | O_EXCL | temporary, 0o600)
  }
}
