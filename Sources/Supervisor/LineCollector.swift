/// The last lines of an output that may be endless, have no line ends, or be no text.
struct LineCollector {
  private let lineLimit: Int
  private let byteLimit: Int
  private var finished: [[UInt8]] = []
  private var current: [UInt8] = []
  /// How many bytes came in all.
  private(set) var byteCount: UInt64 = 0

  init(lineLimit: Int, byteLimit: Int) {
    self.lineLimit = max(lineLimit, 1)
    self.byteLimit = max(byteLimit, 1)
  }

  mutating func append(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      byteCount &+= 1
      if byte == UInt8(ascii: "\n") {
        endLine()
      } else if current.count < byteLimit {
        current.append(byte)
      }
    }
  }

  private mutating func endLine() {
    finished.append(current)
    current = []
    // In halves, so that an endless output does not move all lines for each new one.
    if finished.count >= 2 * lineLimit { finished.removeFirst(finished.count - lineLimit) }
  }

  /// Oldest first, control characters replaced: they would steer the terminal that shows them.
  var lines: [String] {
    (finished + (current.isEmpty ? [] : [current])).suffix(lineLimit).map { line in
      String(decoding: line.map { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
    }
  }
}
