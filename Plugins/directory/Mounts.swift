import Glibc

/// The mounts at and below a folder. A disk that comes or goes is told by no watch, but
/// `/proc/self/mountinfo` can be waited for.
final class Mounts {
  /// A line of `/proc/self/mountinfo`.
  struct Mount: Hashable {
    var number: [UInt8]
    var place: [UInt8]
  }

  /// For `poll`, with POLLPRI; -1 where the system has no such file.
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

  /// Whether a mount came or went since the last question.
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

  /// Those at and below a folder, and what is above it: that may have come between. By bytes: a
  /// letter that joins with the slash before it would hide that slash.
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

  /// Blanks, tabs, line ends and backslashes are three octal digits after a backslash.
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
