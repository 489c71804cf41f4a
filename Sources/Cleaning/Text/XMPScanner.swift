/// The tags of an XMP packet with the places of their parts. It reads UTF-8 without document types
/// and CDATA; other packets are an error.
struct XMPScanner {
  struct Name: Hashable {
    let prefix: String
    let local: String
  }

  struct Attribute {
    let name: Name
    /// Name, equals sign and quoted value.
    let range: Range<Int>
    /// The value without quotes.
    let value: Range<Int>
  }

  struct Token {
    enum Kind {
      case opening(Name, [Attribute], isEmpty: Bool)
      case closing(Name)
      case text
      /// A processing instruction.
      case instruction
      case comment
    }

    let kind: Kind
    let range: Range<Int>
  }

  let bytes: [UInt8]
  private var position = 0

  private static let tokenLimit = 200_000
  private static let depthLimit = 64

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// All tokens; an error if tags do not match.
  static func tokens(_ bytes: [UInt8]) throws(Uncleanable) -> [Token] {
    var scanner = XMPScanner(bytes)
    var tokens: [Token] = []
    var open: [Name] = []
    while let token = try scanner.next() {
      switch token.kind {
      case .opening(let name, _, let isEmpty): if !isEmpty { open.append(name) }
      case .closing(let name): guard open.popLast() == name else { throw .damaged }
      case .text, .instruction, .comment: break
      }
      tokens.append(token)
      guard tokens.count <= tokenLimit, open.count <= depthLimit else { throw .tooComplex }
    }
    guard open.isEmpty else { throw .damaged }
    return tokens
  }

  private mutating func next() throws(Uncleanable) -> Token? {
    guard position < bytes.count else { return nil }
    let start = position
    guard bytes[position] == UInt8(ascii: "<") else {
      position = index(of: "<", from: position) ?? bytes.count
      return Token(kind: .text, range: start..<position)
    }
    if has("<?") { return Token(kind: .instruction, range: start..<(try skip(behind: "?>"))) }
    if has("<!--") { return Token(kind: .comment, range: start..<(try skip(behind: "-->"))) }
    if has("<!") { throw .unsupported }
    if has("</") {
      position += 2
      let name = try name()
      skipSpace()
      guard take(">") else { throw .damaged }
      return Token(kind: .closing(name), range: start..<position)
    }
    position += 1
    let name = try name()
    var attributes: [Attribute] = []
    while true {
      let hasSpace = skipSpace()
      if take("/>") {
        return Token(kind: .opening(name, attributes, isEmpty: true), range: start..<position)
      }
      if take(">") {
        return Token(kind: .opening(name, attributes, isEmpty: false), range: start..<position)
      }
      guard hasSpace, attributes.count < 4_096 else { throw .damaged }
      attributes.append(try attribute())
    }
  }

  private mutating func attribute() throws(Uncleanable) -> Attribute {
    let start = position
    let name = try name()
    skipSpace()
    guard take("=") else { throw .damaged }
    skipSpace()
    guard position < bytes.count else { throw .damaged }
    let quote = bytes[position]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { throw .damaged }
    let value = position + 1
    guard let end = bytes[value...].firstIndex(of: quote), !bytes[value..<end].contains(UInt8(ascii: "<")) else {
      throw .damaged
    }
    position = end + 1
    return Attribute(name: name, range: start..<position, value: value..<end)
  }

  private mutating func name() throws(Uncleanable) -> Name {
    let start = position
    while position < bytes.count, Self.isNameByte(bytes[position]) { position += 1 }
    guard position > start, let text = String(validating: bytes[start..<position], as: UTF8.self) else {
      throw .damaged
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2, let last = parts.last, !last.isEmpty else { throw .damaged }
    return Name(prefix: parts.count == 2 ? String(parts[0]) : "", local: String(last))
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x3a, 0x41...0x5a, 0x61...0x7a, 0x80...0xff, UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  @discardableResult
  private mutating func skipSpace() -> Bool {
    let start = position
    while position < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[position]) { position += 1 }
    return position > start
  }

  private func has(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

  private mutating func take(_ text: String) -> Bool {
    guard has(text) else { return false }
    position += text.utf8.count
    return true
  }

  private mutating func skip(behind end: String) throws(Uncleanable) -> Int {
    guard let first = end.first else { throw .damaged }
    while let found = index(of: first, from: position) {
      position = found
      if take(end) { return position }
      position += 1
    }
    throw .damaged
  }

  private func index(of character: Character, from start: Int) -> Int? {
    bytes[start...].firstIndex(of: character.asciiValue ?? 0)
  }
}
