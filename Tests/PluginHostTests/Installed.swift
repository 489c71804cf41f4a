import Foundation
import Glibc
import PluginHost
import PluginKit
import Supervisor

/// A test's installation of bundled plugins and of its own.
final class Installed {
  /// SwiftPM builds programs and shared objects beside the test program.
  static let products: String = {
    let here = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: here).deletingLastPathComponent().path
  }()

  static let host = products + "/photobroker-plugin-host"
  static let finder = PluginFinder(directories: [products], host: host)

  /// Loads a bundled plugin into this process.
  static func object(_ name: String) throws -> TrustedObject { try TrustedObject(loading: "\(products)/lib\(name).so") }

  /// F_SETLEASE of Linux, which Swift's Glibc module hides.
  private static let setLease: Int32 = 1_024

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

  /// Installs a Python program as a plugin.
  func install(_ name: String, python text: String) throws {
    let path = "\(folder)/\(name).plugin"
    try Data(("#!/usr/bin/python3\n" + text).utf8).write(to: URL(fileURLWithPath: path))
    chmod(path, 0o755)
    // A child that another test forks at this moment may hold the file open for writing until its
    // exec, and nobody can run it meanwhile. The kernel grants a lease only without writers.
    let file = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    while fcntl(file, Self.setLease, F_RDLCK) != 0, errno == EAGAIN { usleep(1_000) }
    _ = fcntl(file, Self.setLease, F_UNLCK)
  }
}
