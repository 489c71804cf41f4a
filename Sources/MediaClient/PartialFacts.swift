/// The result of reading a file from its available parts.
package enum PartialFacts: Sendable, Hashable {
  case facts(MediaFacts)
  /// Retry with these bytes too.
  case needs(Range<Int>)

  init(_ answer: AnswerReader, byteCount: Int) throws(AnswerError) {
    guard answer.status == .ok else { throw AnswerError("status") }
    guard answer.fields.count == 1, let field = answer.fields.first, field.name == "need" else {
      self = .facts(try MediaFacts(answer))
      return
    }
    guard byteCount > 0 else { throw AnswerError("need") }
    var reader = FieldReader(field.value)
    let start = try reader.number(0...byteCount - 1)
    let count = try reader.number(1...byteCount - start)
    try reader.end()
    self = .needs(start..<start + count)
  }
}
