import Limits

/// A strict pull parser of RFC 8259 over borrowed bytes.
///
/// It copies nothing until a string is read, and stops at the first error: too deep nesting
/// (`WireLimits.depth`), a repeated key, ill-formed UTF-8, a lone surrogate, a byte order mark, a
/// number outside its type, or bytes after the value. All JSON passes through this parser, so that
/// no two components can read a message differently.
///
/// Source: https://www.rfc-editor.org/rfc/rfc8259
public struct JSONReader: ~Escapable {
  let bytes: RawSpan
  /// The offset of the next byte.
  public internal(set) var position = 0
  var depth = 0
  /// The range of the current key, without quotes.
  var key = 0..<0
  /// The length of the current key without escapes.
  @usableFromInline var keyLength = 0
  /// The current key without escapes, if it has some.
  var unescapedKey: [UInt8]?
  /// The limits, and the tolerance for newer interfaces.
  public let rules: DecodingRules

  /// A reader at the start of `message`.
  ///
  /// - Throws: `limitExceeded` if the message is longer than the rules allow.
  @_lifetime(copy message)
  public init(_ message: Span<UInt8>, rules: DecodingRules) throws(VarlinkError) {
    self.bytes = message.bytes
    self.rules = rules
    if bytes.byteCount > rules.messageLimitBytes {
      throw .limitExceeded("the length of the message in bytes", limit: rules.messageLimitBytes)
    }
  }

  /// Checks that only white space follows.
  public mutating func finish() throws(VarlinkError) {
    skipSpace()
    if position != bytes.byteCount { throw .trailingBytes(at: position) }
  }

  /// The next byte; 0 at the end, which is not valid in JSON.
  @inline(__always)
  var current: UInt8 {
    position < bytes.byteCount ? byte(at: position) : 0
  }

  /// The byte at `offset`. The caller has checked the bounds; this checks them again, because a
  /// trap is better than a stray read.
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

  @inline(__always)
  mutating func take(_ expected: UInt8, _ what: StaticString) throws(VarlinkError) {
    guard current == expected else { throw .syntax("\(what) expected", at: position) }
    position += 1
  }

  mutating func enter() throws(VarlinkError) {
    depth += 1
    if depth > WireLimits.depth { throw .depthExceeded(limit: WireLimits.depth, at: position) }
  }

  /// Takes the word if it is next.
  mutating func take(word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    guard length <= bytes.byteCount - position else { return false }
    for index in 0..<length where byte(at: position + index) != word.utf8Start[index] { return false }
    position += length
    return true
  }
}
