import Glibc
import PluginKit

/// rclone's configuration: a file of the broker's user, or a text that only this process holds.
///
/// rclone saves renewed tokens in a new file beside its configuration, and renames it. This process
/// may create files in one folder alone. So rclone works on a copy in that folder, and changes of
/// the copy are written back to the original.
final class RcloneConfiguration {
  /// Number of the configuration's descriptor in rclone's process.
  static let numberInChild: Int32 = 3

  /// The value of `--config`.
  let path: String
  /// Descriptor of the text's file; nil for a configuration file.
  let descriptor: Int32?
  /// Variables of rclone's environment, which only the broker's user can read.
  let variables: [String]
  /// The original of the copy at ``path``.
  private let source: String?
  /// Content of original and copy at the last comparison.
  private var copied: [UInt8] = []

  /// - Parameter folder: a private folder in which this process may create files; nil if there is
  ///   none.
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
        """
        Give either option "config", the path of an rclone configuration, or the credential "configuration", its \
        content.
        """
      )
    }
  }

  deinit {
    if let descriptor { close(descriptor) }
    if source != nil { unlink(path) }
  }

  /// The process's private temporary folder; nil if it has none, as in the daemon.
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

  /// Updates the copy from the original, before each run of rclone.
  /// - Throws: `offline`.
  func refresh() throws(PluginError) {
    guard let source else { return }
    guard let now = Self.read(source) else {
      throw PluginError(.offline, "The file of option \"config\" can no longer be read. Let the broker's user read it.")
    }
    guard now != copied else { return }
    let new = path + ".new"
    guard Self.write(now, to: new, O_CREAT | O_TRUNC), rename(new, path) == 0 else {
      throw PluginError(
        .offline, "There is no room for a copy of rclone's configuration. Free space in the temporary folder.")
    }
    copied = now
  }

  /// Writes renewed tokens back to the original after each run, unless it was changed meanwhile.
  func keep() {
    guard let source, let now = Self.read(path), !now.isEmpty, now != copied, Self.read(source) == copied else {
      return
    }
    if Self.write(now, to: source, 0) { copied = now }
  }

  /// Maximum size in bytes, well above any real configuration.
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

  private static func check(_ path: String) throws(PluginError) {
    var facts = stat()
    guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      throw PluginError(
        .invalidOption, "Option \"config\" must be the absolute path of a file that the broker's user can read.")
    }
    // The state may hold another library's account.
    guard !isInState(path) else {
      throw PluginError(
        .invalidOption, "Option \"config\" names a file of the broker's own state. Put the configuration elsewhere.")
    }
    guard facts.st_uid == geteuid(), facts.st_mode & 0o077 == 0 else {
      throw PluginError(
        .invalidOption,
        "The file of option \"config\" holds an account. Make the broker's user its owner, with mode 0600.")
    }
  }

  /// Whether one of the file's parent folders, with links resolved, is the broker's state folder.
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

  /// Creates a file without a name, because another plugin's process of the same user could open a
  /// named one. It has a name for a moment in the private folder, which no other process can reach,
  /// or never, if there is no such folder.
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
    throw PluginError(.offline, "rclone's configuration cannot be stored. Free space in /dev/shm or /tmp.")
  }

  /// Opens a file without a name: in memory if /dev/shm exists, else in /tmp.
  private static func nameless() -> Int32 {
    // O_TMPFILE, which Swift does not see without _GNU_SOURCE.
    let temporary: Int32 = 0o20_000_000 | O_DIRECTORY
    let inMemory = open("/dev/shm", O_RDWR | O_CLOEXEC | O_EXCL | temporary, 0o600)
    return inMemory >= 0 ? inMemory : open("/tmp", O_RDWR | O_CLOEXEC | O_EXCL | temporary, 0o600)
  }
}
