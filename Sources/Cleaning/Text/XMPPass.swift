/// Finds the parts of an XMP packet that must go.
struct XMPPass {
  private let bytes: [UInt8]
  private let withheld: ErasedFacts
  private var namespaces: [String: String] = ["xml": XMPRules.xml]
  private var ranges: [Range<Int>] = []

  init(bytes: [UInt8], withheld: ErasedFacts) {
    self.bytes = bytes
    self.withheld = withheld
  }

  private static let instructionLimitBytes = 128

  /// The levels above a property.
  private enum Level { case top, meta, rdf, description }

  /// The ranges to overwrite.
  mutating func blanks() throws(Uncleanable) -> [Range<Int>] {
    let tokens = try XMPScanner.tokens(bytes)
    try collectNamespaces(tokens)
    var levels: [Level] = [.top]
    var index = 0
    while index < tokens.count {
      let token = tokens[index]
      index += 1
      switch token.kind {
      case .text: blankText(token.range)
      case .instruction:
        if !has("<?xpacket", token.range), !has("<?xml ", token.range) {
          ranges.append(token.range)
        } else {
          try checkInstruction(token.range)
        }
      case .comment: ranges.append(token.range)
      case .closing: _ = levels.popLast()
      case .opening(let name, let attributes, let isEmpty):
        if levels.last == .description {
          let end = propertyEnd(tokens, from: index - 1)
          if !isAllowedProperty(tokens[(index - 1)..<end]) {
            ranges.append(token.range.lowerBound..<tokens[end - 1].range.upperBound)
          }
          index = end
          continue
        }
        let level = try level(of: name, below: levels.last ?? .top)
        for attribute in attributes where !isAllowed(attribute, at: level) { ranges.append(attribute.range) }
        if !isEmpty { levels.append(level) }
      }
    }
    return ranges
  }

  /// Refuses an instruction with a damaged end, because it continues to the end of a later one.
  private func checkInstruction(_ range: Range<Int>) throws(Uncleanable) {
    guard range.count <= Self.instructionLimitBytes, !bytes[range].dropFirst().contains(UInt8(ascii: "<")) else {
      throw .damaged
    }
  }

  /// Prefixes must have one meaning in the whole packet.
  private mutating func collectNamespaces(_ tokens: [XMPScanner.Token]) throws(Uncleanable) {
    for token in tokens {
      guard case .opening(_, let attributes, _) = token.kind else { continue }
      for attribute in attributes {
        guard attribute.name.prefix == "xmlns" else {
          if attribute.name.prefix.isEmpty, attribute.name.local == "xmlns" { throw .unsupported }
          continue
        }
        let uri = String(decoding: bytes[attribute.value], as: UTF8.self)
        if let known = namespaces[attribute.name.local], known != uri { throw .unsupported }
        namespaces[attribute.name.local] = uri
      }
    }
  }

  private func level(of name: XMPScanner.Name, below parent: Level) throws(Uncleanable) -> Level {
    switch (parent, namespaces[name.prefix], name.local) {
    case (.top, XMPRules.meta, "xmpmeta"), (.top, XMPRules.meta, "xapmeta"): .meta
    case (.top, XMPRules.rdf, "RDF"), (.meta, XMPRules.rdf, "RDF"): .rdf
    case (.rdf, XMPRules.rdf, "Description"): .description
    default: throw .unsupported
    }
  }

  private func isAllowed(_ attribute: XMPScanner.Attribute, at level: Level) -> Bool {
    if attribute.name.prefix == "xmlns" { return true }
    switch (level, namespaces[attribute.name.prefix], attribute.name.local) {
    case (.meta, XMPRules.meta, "xmptk"), (.description, XMPRules.rdf, "about"): return true
    case (.description, let uri?, let local): return isAllowed(uri, local, text: bytes[attribute.value])
    default: return attribute.name == XMPScanner.Name(prefix: "", local: "about")
    }
  }

  private func isAllowed(_ uri: String, _ local: String, text: ArraySlice<UInt8>) -> Bool {
    switch XMPRules.rule(uri, local) {
    case .keep: true
    case .caption: !withheld.contains(.captions) && !PlaceHints.mayHoldPlace(text)
    case .drop: false
    }
  }

  /// The index behind the last token of the property that begins at `start`.
  private func propertyEnd(_ tokens: [XMPScanner.Token], from start: Int) -> Int {
    var depth = 0
    for index in start..<tokens.count {
      switch tokens[index].kind {
      case .opening(_, _, let isEmpty): if !isEmpty { depth += 1 }
      case .closing: depth -= 1
      case .text, .instruction, .comment: break
      }
      if depth == 0 { return index + 1 }
    }
    return tokens.count
  }

  /// Judges a property with everything inside it. One forbidden part makes all of it go.
  private func isAllowedProperty(_ tokens: ArraySlice<XMPScanner.Token>) -> Bool {
    guard let first = tokens.first, let last = tokens.last else { return false }
    guard case .opening(let name, _, _) = first.kind, let uri = namespaces[name.prefix],
      isAllowed(uri, name.local, text: bytes[first.range.lowerBound..<last.range.upperBound])
    else { return false }
    for token in tokens {
      switch token.kind {
      case .opening(let name, let attributes, _):
        guard isAllowedInside(name) else { return false }
        for attribute in attributes where attribute.name.prefix != "xmlns" && !isAllowedInside(attribute.name) {
          return false
        }
      case .instruction, .comment: return false
      case .text, .closing: break
      }
    }
    return true
  }

  private func isAllowedInside(_ name: XMPScanner.Name) -> Bool {
    guard let uri = namespaces[name.prefix] else { return false }
    if XMPRules.structures.contains(uri) { return true }
    return switch XMPRules.rule(uri, name.local) {
    case .keep: true
    case .caption: !withheld.contains(.captions)
    case .drop: false
    }
  }

  private mutating func blankText(_ range: Range<Int>) {
    if !bytes[range].allSatisfy({ [0x20, 0x09, 0x0a, 0x0d].contains($0) }), !has("\u{feff}", range) {
      ranges.append(range)
    }
  }

  private func has(_ text: String, _ range: Range<Int>) -> Bool { bytes[range].starts(with: text.utf8) }
}
