/// The messages between the broker and the cleaning worker.
///
/// They are UTF-8 text, ended by a NUL on a stream socket. The broker sends one request and reads
/// one answer.
///
/// Requests; numbers are decimal:
///
///     ping SEQUENCE
///     plan SEQUENCE FACTS      with a descriptor of the file; FACTS as in ``ErasedFacts/text``
///
/// Answers, in lines that each end with a line feed:
///
///     ok SEQUENCE              then the edits, ascending:
///     fill OFFSET COUNT BYTE
///     bytes OFFSET HEX
///
///     refused SEQUENCE
///     reason NAME              a name of ``Uncleanable``
///
///     bad SEQUENCE             no request
///
/// The line `last` in second place announces that the worker ends after this answer.
package enum CleaningMessage {
  /// The worker's limit of processor time; it ends after half of it, between two requests.
  package static let processorSeconds: UInt64 = 240
  /// The size of the largest answer: a plan's edits and literals.
  package static let limitBytes = 16 << 20

  package enum Request: Equatable {
    case ping(UInt64)
    case plan(UInt64, ErasedFacts)
    case bad

    package init(_ bytes: [UInt8]) {
      let words = String(decoding: bytes, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
      if words.count == 2, words[0] == "ping", let sequence = UInt64(words[1]) {
        self = .ping(sequence)
      } else if words.count == 3, words[0] == "plan", let sequence = UInt64(words[1]),
        let withheld = ErasedFacts(text: words[2])
      {
        self = .plan(sequence, withheld)
      } else {
        self = .bad
      }
    }

    package var text: String {
      switch self {
      case .ping(let sequence): "ping \(sequence)"
      case .plan(let sequence, let withheld): "plan \(sequence) \(withheld.text)"
      case .bad: "bad"
      }
    }
  }

  /// Writes an answer.
  package static func answer(_ outcome: CleaningOutcome, sequence: UInt64, isLast: Bool) -> [UInt8] {
    let last = isLast ? "last\n" : ""
    switch outcome {
    case .uncleanable(let reason): return Array("refused \(sequence)\n\(last)reason \(reason.rawValue)\n".utf8)
    case .plan(let plan):
      var bytes = Array("ok \(sequence)\n\(last)".utf8)
      for edit in plan.edits {
        switch edit.content {
        case .fill(let byte, let count): bytes += "fill \(edit.offset) \(count) \(byte)\n".utf8
        case .bytes(let literal):
          bytes += "bytes \(edit.offset) ".utf8
          for byte in literal { bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
          bytes.append(UInt8(ascii: "\n"))
        }
      }
      return bytes
    }
  }

  private static let digits = Array("0123456789abcdef".utf8)

  /// Reads an answer as hostile input.
  ///
  /// - Returns: Nil if it breaks a rule; `isLast`: the worker ends.
  package static func read(
    _ answer: [UInt8], sequence: UInt64, byteCount: Int
  ) -> (outcome: CleaningOutcome, isLast: Bool)? {
    var lines = answer.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
    guard answer.count <= limitBytes, lines.popLast()?.isEmpty == true, let head = lines.popFirst() else { return nil }
    let isLast = lines.first?.elementsEqual("last".utf8) == true
    if isLast { lines.removeFirst() }
    if head.elementsEqual("refused \(sequence)".utf8) {
      guard lines.count == 1, let line = lines.first, line.starts(with: "reason ".utf8),
        let reason = Uncleanable(rawValue: String(decoding: line.dropFirst(7), as: UTF8.self))
      else { return nil }
      return (.uncleanable(reason), isLast)
    }
    guard head.elementsEqual("ok \(sequence)".utf8), lines.count <= CleaningPlan.editLimit else { return nil }
    var edits: [CleaningPlan.Edit] = []
    for line in lines {
      guard let edit = edit(line) else { return nil }
      edits.append(edit)
    }
    guard let plan = CleaningPlan(edits, byteCount: byteCount) else { return nil }
    return (.plan(plan), isLast)
  }

  private static func edit(_ line: ArraySlice<UInt8>) -> CleaningPlan.Edit? {
    let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard words.count >= 3, let offset = number(words[1]) else { return nil }
    if words[0].elementsEqual("fill".utf8) {
      guard words.count == 4, let count = number(words[2]), let byte = number(words[3]), byte <= 0xff else {
        return nil
      }
      return .init(offset: offset, .fill(UInt8(byte), count: count))
    }
    guard words[0].elementsEqual("bytes".utf8), words.count == 3, words[2].count % 2 == 0 else { return nil }
    var literal: [UInt8] = []
    var high: UInt8?
    for character in words[2] {
      guard let digit = digits.firstIndex(of: character) else { return nil }
      if let first = high {
        literal.append(first << 4 | UInt8(digit))
        high = nil
      } else {
        high = UInt8(digit)
      }
    }
    return .init(offset: offset, .bytes(literal))
  }

  /// A decimal number of at most 17 digits.
  private static func number(_ word: ArraySlice<UInt8>) -> Int? {
    guard (1...17).contains(word.count) else { return nil }
    var value = 0
    for byte in word {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    return value
  }
}
