import CLinux
import Glibc

/// The users that this process can tell apart.
enum UserNamespace {
  /// The number of all users without a mapping here; nil if all users are mapped.
  private static let overflowUser: UInt32? = {
    guard let map = text("/proc/self/uid_map") else { return 65_534 }
    let fields = map.split { $0 == " " || $0 == "\n" }
    if fields == ["0", "0", "4294967295"] { return nil }
    return text("/proc/sys/kernel/overflowuid").flatMap { UInt32($0.prefix { $0.isNumber }) } ?? 65_534
  }()

  /// Whether `uid` may stand for several users, so that no decision can depend on it.
  static func hidesUser(_ uid: UInt32) -> Bool { uid == overflowUser }

  private static func text(_ path: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = bytes.withUnsafeMutableBytes { buffer in
      clinux_read_small_file(path, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
    }
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}
