/// The last lines of an output that may be endless, without line ends, or no text.
struct LineCollector {
  private let lineLimit: Int
  private let byteLimit: Int
  private let keepsFresh: Bool
  private var finished: [[UInt8]] = []
  /// Complete lines not taken yet.
  private var fresh: [[UInt8]] = []
  private var current: [UInt8] = []
  private(set) var byteCount: UInt64 = 0

  /// - Parameter keepsFresh: Whether each line is taken after it was appended.
  init(lineLimit: Int, byteLimit: Int, keepsFresh: Bool = false) {
    self.keepsFresh = keepsFresh
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
    if keepsFresh { fresh.append(current) }
    current = []
    // Removes half at a time, so that an endless output does not move all lines for each new one.
    if finished.count >= 2 * lineLimit { finished.removeFirst(finished.count - lineLimit) }
  }

  /// Takes the lines completed since the last call.
  ///
  /// - Parameter atEnd: Whether the output has ended, so that the last line counts as complete.
  mutating func takeFresh(atEnd: Bool = false) -> [String] {
    if atEnd, keepsFresh, !current.isEmpty { endLine() }
    defer { fresh = [] }
    return fresh.map(Self.shown)
  }

  /// Oldest first, with control characters replaced, which could steer a terminal.
  var lines: [String] {
    (finished + (current.isEmpty ? [] : [current])).suffix(lineLimit).map(Self.shown)
  }

  private static func shown(_ line: [UInt8]) -> String {
    String(decoding: line.map { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
  }
}
