/// Reads the worker's lines as hostile input: everything is bounded, and an unknown or repeated
/// line is an error.
struct AnswerReader {
  enum Status: Equatable { case ok, refused, bad, video }

  static let limitBytes = 16_384

  let status: Status
  /// Whether the worker ends after this answer.
  let isLast: Bool
  /// Name and value, in order.
  let fields: [(name: Substring, value: Substring)]

  init(_ bytes: [UInt8], sequence: UInt64) throws(AnswerError) {
    guard bytes.count <= Self.limitBytes else { throw AnswerError("size") }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw AnswerError("UTF-8") }
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { Substring($0) }
    guard lines.popLast()?.isEmpty == true, let first = lines.first else { throw AnswerError("line ends") }
    let head = first.split(separator: " ", omittingEmptySubsequences: false)
    guard head.count == 2, UInt64(head[1]) == sequence else { throw AnswerError("sequence") }
    switch head[0] {
    case "ok": status = .ok
    case "refused": status = .refused
    case "bad": status = .bad
    case "video": status = .video
    default: throw AnswerError("status")
    }
    lines.removeFirst()
    isLast = lines.first == "last"
    if isLast { lines.removeFirst() }
    var fields: [(Substring, Substring)] = []
    for line in lines {
      guard let space = line.firstIndex(of: " ") else { throw AnswerError("field") }
      fields.append((line[..<space], line[line.index(after: space)...]))
    }
    self.fields = fields
  }
}
