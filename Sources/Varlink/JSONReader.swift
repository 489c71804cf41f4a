import Limits

/// A strict pull parser of RFC 8259 over borrowed bytes.
///
/// It copies nothing until a string is asked for, and stops at the first byte that is not right: deeper than
/// `WireLimits.depth`, a repeated key, ill-formed UTF-8, a lone surrogate, a byte order mark, a number that its
/// type cannot hold, bytes after the value. All the product's JSON passes through here, so that no two parts of
/// it can read one message differently.
///
/// Source: https://www.rfc-editor.org/rfc/rfc8259
public struct JSONReader: ~Escapable {
  let bytes: RawSpan
  /// The offset of the next byte to read.
  public internal(set) var position = 0
  var depth = 0
  /// Where the current key lies, without its quotes.
  var key = 0..<0
  /// The length of the current key's text, without escapes.
  @usableFromInline var keyLength = 0
  /// The current key's text when it was written with escapes.
  var unescapedKey: [UInt8]?
  /// What is accepted beyond the grammar.
  public let rules: DecodingRules

  /// A reader at the start of `message`.
  ///
  /// - Throws: `limitExceeded` when the message is longer than the rules allow.
  @_lifetime(copy message)
  public init(_ message: Span<UInt8>, rules: DecodingRules) throws(VarlinkError) {
    self.bytes = message.bytes
    self.rules = rules
    if bytes.byteCount > rules.messageLimitBytes {
      throw .limitExceeded("the length of the message in bytes", limit: rules.messageLimitBytes)
    }
  }

  /// Checks that nothing but white space follows.
  public mutating func finish() throws(VarlinkError) {
    skipSpace()
    if position != bytes.byteCount { throw .trailingBytes(at: position) }
  }

  /// The next byte, or 0, which no JSON text holds, at the end.
  @inline(__always)
  var current: UInt8 {
    position < bytes.byteCount ? byte(at: position) : 0
  }

  /// The byte at `offset`, which the caller has checked; checked again here, since a trap is better than a stray read.
  @inline(__always)
  func byte(at offset: Int) -> UInt8 {
    bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  @inline(__always)
  mutating func skipSpace() {
    while position < bytes.byteCount {
      let next = byte(at: position)
      guard next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 else { return }
      position += 1
    }
  }

  /// Takes one structural byte, or says what was expected.
  @inline(__always)
  mutating func take(_ expected: UInt8, _ what: StaticString) throws(VarlinkError) {
    guard current == expected else { throw .syntax("\(what) expected", at: position) }
    position += 1
  }

  mutating func enter() throws(VarlinkError) {
    depth += 1
    if depth > WireLimits.depth { throw .depthExceeded(limit: WireLimits.depth, at: position) }
  }

  /// Takes the word if it comes next.
  mutating func take(word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    guard length <= bytes.byteCount - position else { return false }
    for index in 0..<length where byte(at: position + index) != word.utf8Start[index] { return false }
    position += length
    return true
  }
}
