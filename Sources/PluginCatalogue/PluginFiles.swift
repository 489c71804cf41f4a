import Cryptography
import Glibc
import PhotoModel
import PluginHost
import PluginKit
import UnixSocket

extension PluginFailure {
  static func system(_ what: String, _ cause: Int32) -> Self {
    Self(cause == ENOSPC || cause == EDQUOT ? .noSpace : .failed, "\(what): \(String(cString: strerror(cause))).")
  }
}

/// The folder of installed plugins in the daemon's state. Each file has a folder named by its
/// SHA-256.
struct PluginFiles: Sendable {
  let folder: String

  var catalogue: String { folder + "/catalogue.json" }

  func folder(of digest: String) -> String { "\(folder)/\(digest)" }

  func path(of plugin: InstalledPlugin) -> String {
    "\(folder(of: plugin.digest))/\(plugin.form.fileName(plugin.name))"
  }

  private static let incoming = "incoming-"

  /// Makes the folder, and checks that no other user can write to it.
  func prepare() throws(PluginFailure) {
    if mkdir(folder, 0o700) == 0 { try Self.sync(String(folder[..<(folder.lastIndex(of: "/") ?? folder.endIndex)])) }
    try WriteProtection.check(folder, trusting: [geteuid()])
  }

  /// Copies a file durably into a new folder.
  /// - Returns: the folder, and the copy's SHA-256.
  func copy(_ source: Int32, as name: String, _ form: PluginForm) throws(PluginFailure) -> (
    folder: String, digest: String
  ) {
    let random = (try? RandomBytes.make(8)).map { Hex.text($0) } ?? "\(getpid())"
    let place = "\(folder)/\(Self.incoming)\(random)"
    guard mkdir(place, 0o700) == 0 else { throw .system("The plugin cannot be copied", errno) }
    do throws(PluginFailure) {
      let file = open("\(place)/\(form.fileName(name))", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o500)
      guard file >= 0 else { throw .system("The plugin cannot be copied", errno) }
      defer { close(file) }
      let digest = try PluginDigest.of(source) { (bytes: UnsafeRawBufferPointer) throws(PluginFailure) in
        try Self.write(bytes, to: file)
      }
      guard fsync(file) == 0 else { throw .system("The plugin cannot be copied", errno) }
      try Self.sync(place)
      return (place, digest)
    } catch {
      Self.remove(place)
      throw error
    }
  }

  /// Moves a copy to the folder of its digest, replacing an earlier one.
  func keep(_ place: String, as digest: String) throws(PluginFailure) {
    let target = folder(of: digest)
    Self.remove(target)
    guard rename(place, target) == 0 else { throw .system("The plugin cannot be copied", errno) }
    try Self.sync(folder)
  }

  /// Deletes copies that no line of the catalogue names, left by interrupted installations.
  func clean(keeping digests: Set<String>) {
    for entry in FolderListing.names(in: folder) ?? []
    where entry.hasPrefix(Self.incoming) || PluginDigest.isDigest(entry) && !digests.contains(entry) {
      Self.remove("\(folder)/\(entry)")
    }
  }

  /// Removes the folder of a copy, with its files.
  static func remove(_ place: String) {
    for entry in FolderListing.names(in: place) ?? [] { unlink("\(place)/\(entry)") }
    rmdir(place)
  }

  static func write(_ bytes: [UInt8], to file: Int32) throws(PluginFailure) {
    try bytes.span.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws(PluginFailure) in try write(bytes, to: file)
    }
  }

  static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws(PluginFailure) {
    var written = 0
    while written < bytes.count {
      let count = Glibc.write(file, bytes.baseAddress.map { $0 + written }, bytes.count - written)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .system("The plugins' folder cannot be written", errno) }
      written += count
    }
  }

  /// Makes a folder's entries durable.
  static func sync(_ folder: String) throws(PluginFailure) {
    let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw .system("The plugins' folder cannot be opened", errno) }
    defer { close(directory) }
    guard fsync(directory) == 0 else { throw .system("The plugins' folder cannot be written", errno) }
  }
}
