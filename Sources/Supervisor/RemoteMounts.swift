import Glibc

/// Places of mounts whose server may not answer.
package struct RemoteMounts {
  private var points: Set<String> = []

  package init() {}

  /// Reads the kernel's list, which contacts no server.
  static func current() -> RemoteMounts {
    var mounts = RemoteMounts()
    guard let file = fopen("/proc/self/mountinfo", "re") else { return mounts }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, file) > 0, let text = line.map({ String(cString: $0) }) { mounts.note(text) }
    return mounts
  }

  /// Reads a line of /proc/PID/mountinfo: the fifth field is the place, the first after a lone
  /// hyphen the file system type.
  package mutating func note(_ line: String) {
    let fields = line.split(separator: " ")
    guard fields.count > 6, let end = fields.firstIndex(of: "-"), end + 1 < fields.count else { return }
    let kind = fields[end + 1]
    guard Self.kinds.contains(String(kind)) || kind.hasPrefix("fuse") else { return }
    points.insert(Self.unescaped(fields[4]))
  }

  static func place(in line: Substring) -> String? {
    let fields = line.split(separator: " ", maxSplits: 5)
    return fields.count > 4 ? unescaped(fields[4]) : nil
  }

  package func contains(_ path: String) -> Bool { points.contains(path) }

  private static let kinds: Set = [
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "ceph", "afs", "coda", "ncpfs", "glusterfs", "lustre", "gfs2",
    "ocfs2", "autofs",
  ]

  /// Decodes spaces, tabs, line ends and backslashes, written as a backslash and three octal
  /// digits.
  private static func unescaped(_ field: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(field.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == UInt8(ascii: "\\"), digits.count == 3,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      {
        bytes.append(value)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
