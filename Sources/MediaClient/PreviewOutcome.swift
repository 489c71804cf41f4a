enum PreviewOutcome {
  case made(width: Int, height: Int, milliseconds: Int, byteCount: Int)
  case refused(MediaProblem)

  init(_ answer: AnswerReader, _ request: PreviewRequest) throws(AnswerError) {
    guard answer.fields.count == 1, let field = answer.fields.first else { throw AnswerError("fields") }
    var reader = FieldReader(field.value)
    switch (answer.status, field.name) {
    case (.refused, "problem"): self = .refused(try reader.choice(MediaProblem.self))
    case (.ok, "preview"):
      let width = try reader.number(1...request.pixels + 1)
      let height = try reader.number(1...request.pixels + 1)
      // The last frame may end after the limit.
      let milliseconds = try reader.number(0...request.seconds * 1_000 + 1_000)
      self = .made(
        width: width, height: height, milliseconds: milliseconds, byteCount: try reader.number(1...Int(Int32.max)))
    default: throw AnswerError("status")
    }
    try reader.end()
  }
}
