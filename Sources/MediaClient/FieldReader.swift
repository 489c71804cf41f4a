struct FieldReader {
  private var words: [Substring]

  init(_ value: Substring) {
    // By Unicode scalar, because a combining mark would merge with a space.
    words = value.unicodeScalars.split(separator: " ", omittingEmptySubsequences: false).map { Substring($0) }
      .reversed()
  }

  mutating func word() throws(AnswerError) -> Substring {
    guard let word = words.popLast(), !word.isEmpty else { throw AnswerError("words") }
    return word
  }

  mutating func number(_ range: ClosedRange<Int>) throws(AnswerError) -> Int {
    guard let value = Int(try word()), range.contains(value) else { throw AnswerError("number") }
    return value
  }

  mutating func decimal(_ range: ClosedRange<Double>) throws(AnswerError) -> Double {
    guard let value = Double(try word()), range.contains(value) else { throw AnswerError("decimal") }
    return value
  }

  mutating func choice<Choice: RawRepresentable>(_: Choice.Type) throws(AnswerError) -> Choice
  where Choice.RawValue == String {
    guard let value = Choice(rawValue: String(try word())) else { throw AnswerError("choice") }
    return value
  }

  var isAtEnd: Bool { words.isEmpty }

  func end() throws(AnswerError) {
    guard isAtEnd else { throw AnswerError("surplus words") }
  }

  /// A whole value as text: bounded, without control characters.
  static func text(_ value: Substring, limitBytes: Int) throws(AnswerError) -> String {
    let isClean = value.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) }
    guard isClean, !value.isEmpty, value.utf8.count <= limitBytes else { throw AnswerError("text") }
    return String(value)
  }
}
