import Glibc

enum ThumbnailOutcome {
  case made(width: Int, height: Int, byteCount: Int)
  case refused(MediaProblem)

  init(_ answer: AnswerReader, _ request: ThumbnailRequest) throws(AnswerError) {
    guard answer.fields.count == 1, let field = answer.fields.first else { throw AnswerError("fields") }
    var reader = FieldReader(field.value)
    switch (answer.status, field.name) {
    case (.refused, "problem"): self = .refused(try reader.choice(MediaProblem.self))
    case (.ok, "thumbnail"):
      let width = try reader.number(1...request.width)
      let height = try reader.number(1...request.height)
      self = .made(width: width, height: height, byteCount: try reader.number(1...Int(Int32.max)))
    default: throw AnswerError("status")
    }
    try reader.end()
  }

  /// Whether the sealed file matches its announcement and contains only a picture.
  static func isIntact(_ descriptor: Int32, _ byteCount: Int, _ encoding: ThumbnailRequest.Encoding) -> Bool {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, Int(facts.st_size) == byteCount else { return false }
    guard let address = mmap(nil, byteCount, PROT_READ, MAP_SHARED, descriptor, 0), address != MAP_FAILED else {
      return false
    }
    defer { munmap(address, byteCount) }
    return ThumbnailCheck.isPlain(UnsafeRawBufferPointer(start: address, count: byteCount), encoding)
  }
}
