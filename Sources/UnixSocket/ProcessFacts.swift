import CLinux
import Glibc

/// What `/proc` tells about one process. Each fact is only as good as the proof, before and after,
/// that the process lives.
struct ProcessFacts {
  private let folder: String

  init(pid: Int32) { folder = "/proc/\(pid)" }

  /// The control group path, decided by the kernel; nil where it is not readable.
  func controlGroup() -> ControlGroupPath? {
    text("cgroup", limitBytes: 16_384).flatMap { ControlGroupPath(procText: $0) }
  }

  /// Where the running program's file is, for display; nil where the process belongs to another user.
  func executable() -> String? {
    var path = [CChar](repeating: 0, count: 4_096)
    let count = readlink(folder + "/exe", &path, path.count)
    guard count > 0 else { return nil }
    return String(decoding: path[..<min(count, path.count)].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// What the process calls itself, at most 15 characters of printable ASCII without a slash; it
  /// can say what it likes. Every user may read it.
  func name() -> String? {
    guard let text = text("comm", limitBytes: 64) else { return nil }
    let name = text.prefix { $0 != "\n" }.unicodeScalars.map {
      (0x21...0x7e).contains($0.value) && $0 != "/" ? Character($0) : "?"
    }
    return name.isEmpty ? nil : String(name)
  }

  /// The application identifier that Flatpak wrote into the sandbox's root.
  ///
  /// Reading a file below `/proc/PID/root` goes to whatever that process has mounted there; a file system that the peer
  /// serves itself could answer never. So the mount table is asked first: Flatpak's root is a tmpfs, and the file is no
  /// FUSE mount.
  func flatpakApplication() -> String? {
    guard let mounts = text("mountinfo", limitBytes: 262_144), Self.hasFlatpakRoot(mounts),
      let info = text("root/.flatpak-info", limitBytes: 65_536)
    else { return nil }
    return Self.applicationName(info)
  }

  /// Whether the root is a tmpfs and `/.flatpak-info` is mounted on it from a file system that the kernel serves.
  static func hasFlatpakRoot(_ mounts: String) -> Bool {
    var rootIsMemory = false
    var infoIsLocal = false
    for line in mounts.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 6, let dash = fields.firstIndex(of: "-"), fields.indices.contains(dash + 1) else { continue }
      let type = fields[dash + 1]
      // Later lines hide earlier ones.
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
    // A file that fills the whole room may go on: a part of it proves nothing.
    guard count >= 0, count < limitBytes else { return nil }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
