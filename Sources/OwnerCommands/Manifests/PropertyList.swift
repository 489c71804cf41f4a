import Varlink

/// An XML property list as JSON: dictionaries, arrays, strings, numbers, true and false. Dates and
/// data become strings.
///
/// Nothing is fetched, and only XML's five entities and character references are expanded, so the
/// result cannot outgrow the input.
struct PropertyList {
  private let text: [Unicode.Scalar]
  private var position = 0
  private var depth = 0
  private let name: String

  /// Limit of nested dictionaries and arrays.
  static let depthLimit = 16

  /// - Throws: `badData` with the line of the error.
  static func parse(_ bytes: [UInt8], name: String) throws(CommandError) -> JSONObject {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandError(.badData, "\(name) is not UTF-8.")
    }
    var list = PropertyList(text: Array(text.unicodeScalars), name: name)
    try list.skipProlog()
    guard try list.tag().name == "plist" else { throw list.wrong("a property list begins with <plist>") }
    guard case .object(let object) = try list.value(list.tag()) else { throw list.wrong("a manifest is a <dict>") }
    guard try list.tag() == Tag(name: "/plist", isEmpty: false) else { throw list.wrong("</plist> expected") }
    return object
  }

  private init(text: [Unicode.Scalar], name: String) { (self.text, self.name) = (text, name) }

  private struct Tag: Equatable {
    let name: String
    let isEmpty: Bool
  }

  private func wrong(_ what: String) -> CommandError {
    let line = text[..<min(position, text.count)].count { $0 == "\n" } + 1
    return CommandError(.badData, "\(name), line \(line): \(what).")
  }

  private func starts(with word: String) -> Bool {
    let scalars = Array(word.unicodeScalars)
    return text.count - position >= scalars.count && text[position..<position + scalars.count].elementsEqual(scalars)
  }

  private mutating func skip(past word: String) throws(CommandError) {
    while !starts(with: word) {
      guard position < text.count else { throw wrong("\(word) is missing") }
      position += 1
    }
    position += word.unicodeScalars.count
  }

  private mutating func skipSpaceAndComments() throws(CommandError) {
    while position < text.count {
      if text[position].properties.isWhitespace {
        position += 1
      } else if starts(with: "<!--") {
        try skip(past: "-->")
      } else {
        return
      }
    }
  }

  private mutating func skipProlog() throws(CommandError) {
    if starts(with: "\u{FEFF}") { position += 1 }
    try skipSpaceAndComments()
    if starts(with: "<?xml") { try skip(past: "?>") }
    try skipSpaceAndComments()
    if starts(with: "<!DOCTYPE") { try skip(past: ">") }
  }

  /// The next tag without its attributes; a closing tag's name keeps its slash.
  private mutating func tag() throws(CommandError) -> Tag {
    try skipSpaceAndComments()
    guard starts(with: "<") else { throw wrong("a tag expected") }
    position += 1
    let start = position
    try skip(past: ">")
    let inside = text[start..<position - 1]
    let isEmpty = inside.last == "/"
    let name = inside.prefix { !$0.properties.isWhitespace }
    var word = ""
    word.unicodeScalars.append(contentsOf: isEmpty && name.last == "/" ? name.dropLast() : name)
    return Tag(name: word, isEmpty: isEmpty)
  }

  private mutating func value(_ tag: Tag) throws(CommandError) -> JSONValue {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthLimit else { throw wrong("nested more than \(Self.depthLimit) deep") }
    switch (tag.name, tag.isEmpty) {
    case ("true", true): return .bool(true)
    case ("false", true): return .bool(false)
    case ("string", true): return .string("")
    case ("dict", true): return .object(JSONObject())
    case ("array", true): return .array([])
    case ("dict", false): return .object(try dictionary())
    case ("array", false):
      var elements: [JSONValue] = []
      while true {
        let next = try self.tag()
        if next.name == "/array" { return .array(elements) }
        elements.append(try value(next))
      }
    case ("string", false), ("date", false), ("data", false): return .string(try characters(until: tag.name))
    case ("integer", false):
      guard let number = Int64(try characters(until: "integer")) else { throw wrong("an <integer> is no number") }
      return .integer(number)
    case ("real", false):
      guard let number = Double(try characters(until: "real")), number.isFinite else {
        throw wrong("a <real> is no number")
      }
      return .double(number)
    default: throw wrong("<\(tag.name)> is not known here")
    }
  }

  private mutating func dictionary() throws(CommandError) -> JSONObject {
    var object = JSONObject()
    while true {
      let next = try tag()
      if next.name == "/dict" { return object }
      guard next == Tag(name: "key", isEmpty: false) else { throw wrong("a <key> expected") }
      let key = try characters(until: "key")
      guard object[key] == nil else { throw wrong("the key \(key) stands twice") }
      object[key] = try value(tag())
    }
  }

  private mutating func characters(until name: String) throws(CommandError) -> String {
    var characters = ""
    while position < text.count {
      if text[position] == "<" {
        if starts(with: "<![CDATA[") {
          characters.unicodeScalars.append(contentsOf: try rawCharacters())
        } else if starts(with: "<!--") {
          try skip(past: "-->")
        } else {
          break
        }
      } else if text[position] == "&" {
        characters.unicodeScalars.append(try reference())
      } else {
        characters.unicodeScalars.append(text[position])
        position += 1
      }
    }
    guard try tag() == Tag(name: "/" + name, isEmpty: false) else { throw wrong("</\(name)> expected") }
    return characters
  }

  /// The content of a CDATA section.
  private mutating func rawCharacters() throws(CommandError) -> ArraySlice<Unicode.Scalar> {
    try skip(past: "<![CDATA[")
    let start = position
    try skip(past: "]]>")
    return text[start..<position - 3]
  }

  private mutating func reference() throws(CommandError) -> Unicode.Scalar {
    let start = position + 1
    guard let end = text[start...].prefix(12).firstIndex(of: ";") else {
      throw wrong("a & begins no reference; write &amp;")
    }
    var word = ""
    word.unicodeScalars.append(contentsOf: text[start..<end])
    position = end + 1
    switch word {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    case _ where word.hasPrefix("#x"):
      if let scalar = UInt32(word.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init) { return scalar }
    case _ where word.hasPrefix("#"):
      if let scalar = UInt32(word.dropFirst()).flatMap(Unicode.Scalar.init) { return scalar }
    default: break
    }
    throw wrong("&\(word); is not known")
  }
}
