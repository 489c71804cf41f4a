import Foundation
import Glibc
import PluginHost
import PluginKit
import Supervisor

/// The built plugins, and plugins that a test writes, as they would be installed.
final class Installed {
  /// Programs and shared objects are built beside the test program.
  static let products: String = {
    let here = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: here).deletingLastPathComponent().path
  }()

  static let host = products + "/photobroker-plugin-host"
  static let finder = PluginFinder(directories: [products], host: host)

  /// A bundled plugin, loaded into this process.
  static func object(_ name: String) throws -> TrustedObject { try TrustedObject(loading: "\(products)/lib\(name).so") }

  /// F_SETLEASE of Linux, which Swift does not see.
  private static let setLease: Int32 = 1_024

  /// A folder for photos and plugins of one test.
  let folder: String

  init() throws {
    var template = Array("/tmp/plugin-host-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw POSIXError(.EIO) }
    folder = String(cString: made)
    try FileManager.default.createDirectory(atPath: photos, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  var photos: String { folder + "/photos" }
  var finder: PluginFinder { PluginFinder(directories: [folder], host: Self.host) }

  func write(_ name: String, _ text: String = "photo") throws {
    let url = URL(fileURLWithPath: photos + "/" + name)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  func text(_ name: String) -> String? { try? String(contentsOfFile: photos + "/" + name, encoding: .utf8) }

  func descriptor(_ text: String) throws -> Int32 {
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/bytes"))
    return open(folder + "/bytes", O_RDONLY | O_CLOEXEC)
  }

  /// Installs a program that speaks the protocol itself.
  func install(_ name: String, python text: String) throws {
    let path = "\(folder)/\(name).plugin"
    try Data(("#!/usr/bin/python3\n" + text).utf8).write(to: URL(fileURLWithPath: path))
    chmod(path, 0o755)
    // A process that another test starts at this moment may have it open for writing until it runs
    // its program; nobody could run it meanwhile. A lease is given only on what nobody writes.
    let file = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    while fcntl(file, Self.setLease, F_RDLCK) != 0, errno == EAGAIN { usleep(1_000) }
    _ = fcntl(file, Self.setLease, F_UNLCK)
  }
}
