import PhotoModel

extension MediaFacts {
  static let shortTextBytes = 128
  static let longTextBytes = 2_048
  static let keywordLimit = 32
  private static let sides = 1...1_000_000

  /// Reads the fields of an answer to `facts`.
  init(_ answer: AnswerReader) throws(AnswerError) {
    self.init()
    var seen: Set<Substring> = []
    for (name, value) in answer.fields {
      let isRepeatable = name == "keyword" || name == "problem"
      guard isRepeatable || seen.insert(name).inserted else { throw AnswerError("repeated field") }
      try read(name, value)
    }
    if seen.contains("offset"), date?.isPartial != false { throw AnswerError("offset without date") }
    if burstIdentifier != nil { subtypes.insert(.burst) }
  }

  private mutating func read(_ name: Substring, _ value: Substring) throws(AnswerError) {
    switch name {
    case "make": make = try short(value)
    case "model": model = try short(value)
    case "camera": own.camera = try short(value)
    case "live": liveIdentifier = try short(value)
    case "burst": burstIdentifier = try short(value)
    case "title": title = try FieldReader.text(value, limitBytes: Self.longTextBytes)
    case "caption": caption = try FieldReader.text(value, limitBytes: Self.longTextBytes)
    case "keyword":
      guard keywords.count < Self.keywordLimit else { throw AnswerError("too many keywords") }
      keywords.append(try short(value))
    default: try readWords(name, value)
    }
  }

  private func short(_ value: Substring) throws(AnswerError) -> String {
    try FieldReader.text(value, limitBytes: Self.shortTextBytes)
  }

  private mutating func readWords(_ name: Substring, _ value: Substring) throws(AnswerError) {
    var reader = FieldReader(value)
    switch name {
    case "kind": kind = try reader.choice(Kind.self)
    case "type": mimeType = try Self.token(&reader, allowing: "/")
    case "container": container = try Self.token(&reader)
    case "size": size = try Self.size(&reader)
    case "coded": codedSize = try Self.size(&reader)
    case "orientation": orientation = try reader.number(1...8)
    case "date": date = try CaptureDate(&reader)
    case "offset":
      date?.offsetMinutes = try reader.number(-720...840)
      date?.offsetSource = try reader.choice(CaptureDate.OffsetSource.self)
    case "location":
      let latitude = try reader.decimal(-90...90)
      location = GeoPoint(latitude: latitude, longitude: try reader.decimal(-180...180))
    case "altitude": altitude = try reader.decimal(-100_000...100_000)
    case "captured":
      let seconds = try reader.number(-100_000_000_000...400_000_000_000)
      own.date = Int64(seconds) * 1_000_000 + Int64(try reader.number(0...999_999))
    case "picture":
      guard let digest = Hex.bytes(try reader.word()), digest.count == 16 else { throw AnswerError("digest") }
      picture = digest
    case "duration": duration = .milliseconds(try reader.number(0...1_000_000_000_000))
    case "rate": frameRate = try reader.number(0...100_000_000)
    case "frames": frames = try reader.number(1...10_000_000)
    case "subtypes": subtypes = try Self.subtypes(&reader)
    case "rating": rating = try reader.number(-1...5)
    case "motion":
      let start = try reader.number(1...Int(Int32.max))
      motionMovie = UInt64(start)..<UInt64(start + (try reader.number(1...Int(Int32.max))))
    case "problem": problems.insert(try reader.choice(MediaProblem.self))
    default: throw AnswerError("unknown field")
    }
    try reader.end()
  }

  /// A word of lower-case letters, digits and `-+.`.
  private static func token(_ reader: inout FieldReader, allowing extra: Character? = nil) throws(AnswerError) -> String
  {
    let word = try reader.word()
    let isPlain = word.allSatisfy {
      ("a"..."z").contains($0) || ("0"..."9").contains($0) || "-+.".contains($0) || $0 == extra
    }
    guard isPlain, word.utf8.count <= 64 else { throw AnswerError("token") }
    return String(word)
  }

  private static func size(_ reader: inout FieldReader) throws(AnswerError) -> Size {
    let width = try reader.number(sides)
    return Size(width: width, height: try reader.number(sides))
  }

  private static func subtypes(_ reader: inout FieldReader) throws(AnswerError) -> MediaSubtypes {
    var all: MediaSubtypes = []
    while !reader.isAtEnd {
      switch try reader.word() {
      case "panorama": all.insert(.panorama)
      case "hdr": all.insert(.hdr)
      case "screenshot": all.insert(.screenshot)
      case "raw": all.insert(.raw)
      case "animated": all.insert(.animated)
      case "high-frame-rate": all.insert(.highFrameRate)
      case "live": all.insert(.livePhoto)
      case "motion": all.insert(.motionPhoto)
      default: throw AnswerError("subtype")
      }
    }
    return all
  }
}

extension CaptureDate {
  init(_ reader: inout FieldReader) throws(AnswerError) {
    year = try reader.number(1...9_999)
    month = try reader.number(1...12)
    day = try reader.number(1...31)
    hour = try reader.number(0...23)
    minute = try reader.number(0...59)
    second = try reader.number(0...59)
    microsecond = try reader.number(0...999_999)
    source = try reader.choice(Source.self)
    guard !reader.isAtEnd else { return }
    guard try reader.word() == "partial" else { throw AnswerError("date") }
    isPartial = true
  }
}
