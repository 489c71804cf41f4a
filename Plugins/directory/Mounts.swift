import Glibc

/// The mounts at and below a folder. A disk that comes or goes is told by no watch, but `/proc/self/mountinfo` can be waited
/// for.
final class Mounts {
  /// For `poll`, with POLLPRI; -1 where the system has no such file.
  let descriptor: Int32
  private let root: String
  private var known: Set<String> = []

  init(root: String) {
    let real = realpath(root, nil)
    defer { free(real) }
    self.root = real.map { String(cString: $0) } ?? root
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

  private func read() -> Set<String> {
    guard descriptor >= 0, lseek(descriptor, 0, SEEK_SET) == 0 else { return [] }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      text += buffer[..<count]
    }
    var found: Set<String> = []
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
      guard fields.count > 4 else { continue }
      let place = String(decoding: fields[4], as: UTF8.self)
      // Also what is above the folder: it may have come between.
      if place == root || place.hasPrefix(root + "/") || (place != "/" && root.hasPrefix(place + "/")) {
        found.insert(String(decoding: fields[0], as: UTF8.self) + " " + place)
      }
    }
    return found
  }
}
