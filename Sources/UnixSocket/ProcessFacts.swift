import CLinux
import Glibc

/// Facts about a process from `/proc`. They are valid only if the process lives both before and
/// after they are read.
struct ProcessFacts {
  private let folder: String

  init(pid: Int32) { folder = "/proc/\(pid)" }

  /// The control group path, which the kernel decides; nil if not readable.
  func controlGroup() -> ControlGroupPath? {
    text("cgroup", limitBytes: 16_384).flatMap { ControlGroupPath(procText: $0) }
  }

  /// The path of the running program, for display; nil for another user's process.
  func executable() -> String? {
    var path = [CChar](repeating: 0, count: 4_096)
    let count = readlink(folder + "/exe", &path, path.count)
    guard count > 0 else { return nil }
    return String(decoding: path[..<min(count, path.count)].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The process's own name: at most 15 characters of printable ASCII without a slash. The process
  /// can choose any. Every user may read it.
  func name() -> String? {
    guard let text = text("comm", limitBytes: 64) else { return nil }
    let name = text.prefix { $0 != "\n" }.unicodeScalars.map {
      (0x21...0x7e).contains($0.value) && $0 != "/" ? Character($0) : "?"
    }
    return name.isEmpty ? nil : String(name)
  }

  /// The application identifier that Flatpak wrote into the sandbox's root.
  ///
  /// A file below `/proc/PID/root` is on a file system of that process's choice. If the peer serves
  /// it, a read may block for ever. So the mount table must first show that the root is a tmpfs, as
  /// Flatpak's is, and that the file is no FUSE mount.
  func flatpakApplication() -> String? {
    guard let mounts = text("mountinfo", limitBytes: 262_144), Self.hasFlatpakRoot(mounts),
      let info = text("root/.flatpak-info", limitBytes: 65_536)
    else { return nil }
    return Self.applicationName(info)
  }

  /// Whether the root is a tmpfs, and `/.flatpak-info` on it is mounted from a file system of the
  /// kernel.
  static func hasFlatpakRoot(_ mounts: String) -> Bool {
    var rootIsMemory = false
    var infoIsLocal = false
    for line in mounts.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 6, let dash = fields.firstIndex(of: "-"), fields.indices.contains(dash + 1) else { continue }
      let type = fields[dash + 1]
      // Later mounts hide earlier ones.
      if fields[4] == "/" { rootIsMemory = type == "tmpfs" }
      if fields[4] == "/.flatpak-info" {
        infoIsLocal = !type.hasPrefix("fuse") && type != "9p" && !type.hasPrefix("nfs")
      }
    }
    return rootIsMemory && infoIsLocal
  }

  /// The value of `name` in the group `Application` of a key file.
  static func applicationName(_ keyFile: String) -> String? {
    var isInGroup = false
    for line in keyFile.split(separator: "\n") {
      if line.first == "[" { isInGroup = line == "[Application]" }
      if isInGroup, line.hasPrefix("name=") {
        let name = line.dropFirst("name=".count)
        return name.isEmpty ? nil : String(name)
      }
    }
    return nil
  }

  private func text(_ name: String, limitBytes: Int) -> String? {
    var bytes = [UInt8](repeating: 0, count: limitBytes)
    let count = bytes.withUnsafeMutableBytes { buffer in
      clinux_read_small_file("\(folder)/\(name)", buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
    }
    // A file that fills the buffer may be truncated, so it proves nothing.
    guard count >= 0, count < limitBytes else { return nil }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
