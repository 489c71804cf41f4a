import Glibc
import UnixSocket

/// The memory of a child and its descendants that RLIMIT_DATA does not count: shared mappings and
/// memory files. A mapped memory file counts twice.
struct SharedMemoryUse {
  let byteLimit: Int64
  let pause: Duration

  init?(_ options: ChildOptions) {
    guard let limit = options.sharedBytes else { return nil }
    (byteLimit, pause) = (limit, options.sharedPause)
  }

  /// - Returns: A message about the excess; nil if there is none, or none that can be found now.
  func excess(of child: Int32) -> String? {
    var bytes: Int64 = 0
    var seen: Set<Int32> = []
    var files: Set<FileIdentity> = []
    var waiting = [child]
    while let process = waiting.popLast() {
      guard seen.insert(process).inserted else { continue }
      bytes += Self.mapped(by: process) + Self.memoryFiles(of: process, &files)
      guard bytes <= byteLimit else {
        return "It holds more than \(byteLimit >> 20) MiB of shared memory and memory files"
      }
      waiting += Self.children(of: process)
    }
    return nil
  }

  private struct FileIdentity: Hashable {
    let device: dev_t
    let inode: ino_t
  }

  private static func mapped(by process: Int32) -> Int64 {
    for line in text("/proc/\(process)/status").split(separator: "\n") where line.hasPrefix("RssShmem:") {
      return (Int64(line.filter(\.isNumber)) ?? 0) << 10
    }
    return 0
  }

  private static func memoryFiles(of process: Int32, _ known: inout Set<FileIdentity>) -> Int64 {
    var bytes: Int64 = 0
    for path in entries("/proc/\(process)/fd") {
      var target = [CChar](repeating: 0, count: 16)
      let count = readlink(path, &target, target.count)
      guard count > 0, target.prefix(count).map({ UInt8(bitPattern: $0) }).starts(with: "/memfd:".utf8) else {
        continue
      }
      var facts = stat()
      guard stat(path, &facts) == 0, known.insert(FileIdentity(device: facts.st_dev, inode: facts.st_ino)).inserted
      else { continue }
      bytes += Int64(facts.st_blocks) * 512
    }
    return bytes
  }

  private static func children(of process: Int32) -> [Int32] {
    entries("/proc/\(process)/task").flatMap { text($0 + "/children").split(separator: " ").compactMap { Int32($0) } }
  }

  private static func entries(_ path: String) -> [String] {
    (FolderListing.names(in: path) ?? []).filter { $0.first?.isNumber ?? false }.map { "\(path)/\($0)" }
  }

  private static func text(_ path: String) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = read(file, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : ""
  }
}
