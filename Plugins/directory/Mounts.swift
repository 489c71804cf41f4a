import Glibc

/// The mounts at, below and above a folder. inotify does not report mounts, but
/// `/proc/self/mountinfo` can be polled.
final class Mounts {
  struct Mount: Hashable {
    var number: [UInt8]
    var place: [UInt8]
  }

  /// For `poll` with POLLPRI; -1 if the file does not exist.
  let descriptor: Int32
  private let root: [UInt8]
  private var known: Set<Mount> = []

  init(root: String) {
    let real = realpath(root, nil)
    defer { free(real) }
    self.root = real.map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } ?? Array(root.utf8)
    descriptor = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    known = read()
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Whether a mount appeared or disappeared since the last call.
  func haveChanged() -> Bool {
    let now = read()
    defer { known = now }
    return now != known
  }

  private func read() -> Set<Mount> {
    guard descriptor >= 0, lseek(descriptor, 0, SEEK_SET) == 0 else { return [] }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      text += buffer[..<count]
    }
    return Self.mounts(in: text, concerning: root)
  }

  /// Returns the mounts at, below and above a folder. Paths are compared as bytes: a combining
  /// character would merge with the slash before it.
  static func mounts(in text: [UInt8], concerning root: [UInt8]) -> Set<Mount> {
    let slash = UInt8(ascii: "/")
    var found: Set<Mount> = []
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
      guard fields.count > 4 else { continue }
      let place = unescaped(fields[4])
      if place == root || place.starts(with: root + [slash]) || (place != [slash] && root.starts(with: place + [slash]))
      {
        found.insert(Mount(number: Array(fields[0]), place: place))
      }
    }
    return found
  }

  /// Blanks, tabs, newlines and backslashes are written as a backslash and three octal digits.
  private static func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = field
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
    return bytes
  }
}
