import Limits

/// Parses an interface description.
struct InterfaceParser {
  private let text: [UInt8]
  private var offset = 0
  private var comment: [String] = []
  private var depth = 0

  init(_ text: String) throws(VarlinkError) {
    self.text = Array(text.utf8)
    if self.text.count > WireLimits.interfaceBytes {
      throw .limitExceeded("the length of an interface description in bytes", limit: WireLimits.interfaceBytes)
    }
  }

  mutating func parse() throws(VarlinkError) -> (name: String, comment: [String], members: [InterfaceMember]) {
    try expect(word: "interface")
    let about = takeComment()
    let name = try qualifiedName()
    var members: [InterfaceMember] = []
    var names: Set<String> = []
    skipSpace()
    while offset < text.count {
      let member = try self.member()
      if !names.insert(member.name).inserted { throw failure("the name \(member.name) is used twice") }
      members.append(member)
      skipSpace()
    }
    try checkReferences(of: members)
    return (name, about, members)
  }

  private mutating func member() throws(VarlinkError) -> InterfaceMember {
    skipSpace()
    let keywordOffset = offset
    let keyword = word()
    let about = takeComment()
    switch keyword {
    case "type":
      let name = try memberName()
      return InterfaceMember(name: name, comment: about, kind: .type(try composite()))
    case "method":
      let name = try memberName()
      let parameters = try fields()
      skipSpace()
      guard take("-"), take(">") else { throw failure("-> expected") }
      return InterfaceMember(name: name, comment: about, kind: .method(parameters: parameters, reply: try fields()))
    case "error":
      let name = try memberName()
      skipSpace()
      // Some published interfaces omit the parentheses of an error without parameters.
      let parameters = offset < text.count && text[offset] == UInt8(ascii: "(") ? try fields() : []
      return InterfaceMember(name: name, comment: about, kind: .error(parameters: parameters))
    default:
      offset = keywordOffset
      throw failure("type, method or error expected")
    }
  }

  /// Parses a structure or enumeration with its parentheses.
  private mutating func composite() throws(VarlinkError) -> InterfaceType {
    depth += 1
    defer { depth -= 1 }
    if depth > WireLimits.depth { throw failure("types are nested more than \(WireLimits.depth) deep") }
    skipSpace()
    guard take("(") else { throw failure("( expected") }
    var entries: [InterfaceField] = []
    var names: Set<String> = []
    skipSpace()
    if take(")") {
      _ = takeComment()
      return .structure([])
    }
    repeat {
      skipSpace()
      let about = takeComment()
      let name = try fieldName()
      if !names.insert(name).inserted { throw failure("the field \(name) is there twice") }
      skipSpace()
      let type: InterfaceType? = take(":") ? try self.type() : nil
      entries.append(InterfaceField(name: name, comment: about, type: type))
      if (entries[0].type == nil) != (type == nil) { throw failure("either all entries have a type, or none") }
      skipSpace()
    } while take(",")
    guard take(")") else { throw failure(", or ) expected") }
    _ = takeComment()
    if entries.count > WireLimits.structureFields {
      throw failure("more than \(WireLimits.structureFields) fields in one structure")
    }
    return entries[0].type == nil ? .enumeration(entries) : .structure(entries)
  }

  private mutating func fields() throws(VarlinkError) -> [InterfaceField] {
    guard case .structure(let fields) = try composite() else { throw failure("fields with types expected") }
    return fields
  }

  private mutating func type() throws(VarlinkError) -> InterfaceType {
    depth += 1
    defer { depth -= 1 }
    if depth > WireLimits.depth { throw failure("types are nested more than \(WireLimits.depth) deep") }
    skipSpace()
    guard offset < text.count else { throw failure("a type expected") }
    switch text[offset] {
    case UInt8(ascii: "?"):
      offset += 1
      let inner = try type()
      if case .optional = inner { throw failure("a type can be optional only once") }
      return .optional(inner)
    case UInt8(ascii: "["):
      offset += 1
      if take("]") { return .array(try type()) }
      guard word() == "string", take("]") else { throw failure("[] or [string] expected") }
      return .map(try type())
    case UInt8(ascii: "("):
      return try composite()
    default:
      let start = offset
      switch word() {
      case "bool": return .bool
      case "int": return .int
      case "float": return .float
      case "string": return .string
      case "object": return .object
      case let name where name.utf8.first.map(Self.isCapital) ?? false: return .named(name)
      default:
        offset = start
        throw failure("a type expected")
      }
    }
  }

  private func checkReferences(of members: [InterfaceMember]) throws(VarlinkError) {
    var types: Set<String> = []
    for member in members { if case .type = member.kind { types.insert(member.name) } }
    for member in members {
      let unknown =
        switch member.kind {
        case .type(let type): type.references.first { !types.contains($0) }
        case .method(let parameters, let reply):
          InterfaceType.structure(parameters + reply).references.first { !types.contains($0) }
        case .error(let parameters): InterfaceType.structure(parameters).references.first { !types.contains($0) }
        }
      if let unknown { throw failure("\(member.name) uses the type \(unknown), which is not declared") }
    }
  }
}

extension InterfaceParser {
  private mutating func qualifiedName() throws(VarlinkError) -> String {
    skipSpace()
    let start = offset
    while offset < text.count,
      Self.isWord(text[offset]) || text[offset] == UInt8(ascii: ".") || text[offset] == UInt8(ascii: "-")
    {
      offset += 1
    }
    let name = String(decoding: text[start..<offset], as: UTF8.self)
    let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isGood =
      parts.count >= 2
      && parts.allSatisfy { part in
        guard let first = part.first, let last = part.last else { return false }
        return Self.isLetterOrDigit(first) && Self.isLetterOrDigit(last)
          && part.allSatisfy { Self.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
      }
    guard isGood else {
      offset = start
      throw failure("the name of an interface expected, such as org.example.Service")
    }
    return name
  }

  private mutating func memberName() throws(VarlinkError) -> String {
    try name("a name of letters and digits that begins with a capital") { word in
      (word.first.map(Self.isCapital) ?? false) && word.allSatisfy(Self.isLetterOrDigit)
    }
  }

  private mutating func fieldName() throws(VarlinkError) -> String {
    try name("a field name of letters, digits and single underscores that begins with a letter") { word in
      guard let first = word.first, let last = word.last else { return false }
      let underscore = UInt8(ascii: "_")
      return Self.isLetterOrDigit(first) && first > UInt8(ascii: "9") && last != underscore
        && !zip(word, word.dropFirst()).contains { $0 == underscore && $1 == underscore }
    }
  }

  private mutating func name(
    _ expected: String, where isGood: (String.UTF8View) -> Bool
  ) throws(VarlinkError) -> String {
    skipSpace()
    let start = offset
    let name = word()
    guard isGood(name.utf8) else {
      offset = start
      throw failure("\(expected) expected")
    }
    return name
  }

  private mutating func expect(word expected: String) throws(VarlinkError) {
    skipSpace()
    let start = offset
    if word() != expected {
      offset = start
      throw failure("\(expected) expected")
    }
  }

  private mutating func word() -> String {
    let start = offset
    while offset < text.count, Self.isWord(text[offset]) { offset += 1 }
    return String(decoding: text[start..<offset], as: UTF8.self)
  }

  private mutating func take(_ symbol: Unicode.Scalar) -> Bool {
    guard offset < text.count, UInt32(text[offset]) == symbol.value else { return false }
    offset += 1
    return true
  }

  /// Skips white space and comments. It keeps the comments for the next declaration.
  private mutating func skipSpace() {
    while offset < text.count {
      switch text[offset] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        offset += 1
      case UInt8(ascii: "#"):
        var start = offset + 1
        while offset < text.count, text[offset] != UInt8(ascii: "\n") { offset += 1 }
        var end = offset
        if start < end, text[start] == UInt8(ascii: " ") { start += 1 }
        while end > start, text[end - 1] == UInt8(ascii: " ") || text[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        comment.append(String(decoding: text[start..<end], as: UTF8.self))
      default:
        return
      }
    }
  }

  private mutating func takeComment() -> [String] {
    defer { comment = [] }
    return comment
  }

  private func failure(_ what: String) -> VarlinkError {
    let before = text[..<min(offset, text.count)]
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return .interfaceSyntax(what, line: line, column: before.count - lineStart + 1)
  }

  private static func isCapital(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    isCapital(byte) || isCapital(byte & 0xDF) && byte >= UInt8(ascii: "a")
      || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  private static func isWord(_ byte: UInt8) -> Bool { isLetterOrDigit(byte) || byte == UInt8(ascii: "_") }
}
