import Glibc

/// The memory available to this process.
package enum MachineMemory {
  /// Bytes: the machine's memory, or a lower limit of a control group around the process. Nil if
  /// unknown.
  package static let bytes: Int? = {
    let (pages, size) = (sysconf(Int32(_SC_PHYS_PAGES)), sysconf(Int32(_SC_PAGESIZE)))
    let ofMachine = pages > 0 && size > 0 ? pages * size : nil
    return ([ofMachine] + limitFiles(ofGroups: text("/proc/self/cgroup") ?? "").map { text($0).flatMap(limit) })
      .compactMap { $0 }.min()
  }()

  /// - Parameters:
  ///   - divisor: The fraction's denominator.
  ///   - least: The minimum in bytes, also used if the memory is unknown.
  package static func part(_ divisor: Int, least: Int) -> Int { max((bytes ?? 0) / divisor, least) }

  /// The limit files of the groups in `/proc/self/cgroup` and of their parents: all limits apply.
  static func limitFiles(ofGroups groups: String) -> [String] {
    groups.split(separator: "\n").flatMap { line -> [String] in
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { return [] }
      let (root, file): (String, String)
      switch parts[1] {
      case "": (root, file) = ("/sys/fs/cgroup", "memory.max")
      case let names where names.split(separator: ",").contains("memory"):
        (root, file) = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
      default: return []
      }
      let names = parts[2].split(separator: "/")
      return (0...names.count).map { count in
        ([root] + names.prefix(count).map(String.init) + [file]).joined(separator: "/")
      }
    }
  }

  private static func limit(_ text: String) -> Int? {
    Int(text.prefix { $0 != "\n" }).flatMap { $0 > 0 ? $0 : nil }
  }

  private static func text(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = read(file, &bytes, bytes.count)
    return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
