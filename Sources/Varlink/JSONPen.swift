/// Writes JSON text into preallocated memory, for replies of thousands of small parts.
///
/// It writes nothing that does not fit: `JSONWriter.stretch` then allocates more and repeats the
/// whole text. It writes no commas; the caller must produce valid JSON.
@frozen public struct JSONPen: ~Copyable {
  @usableFromInline var next: UnsafeMutablePointer<UInt8>
  @usableFromInline let end: UnsafeMutablePointer<UInt8>
  /// Whether some text did not fit.
  @usableFromInline var isCut = false

  @inlinable init(_ start: UnsafeMutablePointer<UInt8>, room: Int) {
    next = start
    end = start + room
  }

  /// A place for `count` bytes; nil if they do not fit.
  @inlinable @inline(__always)
  mutating func room(_ count: Int) -> UnsafeMutablePointer<UInt8>? {
    guard end - next >= count else {
      isCut = true
      return nil
    }
    return next
  }

  /// Writes JSON text verbatim.
  @inlinable @inline(__always)
  public mutating func text(_ text: StaticString) {
    let count = text.utf8CodeUnitCount
    guard let target = room(count) else { return }
    UnsafeMutableRawPointer(target).copyMemory(from: text.utf8Start, byteCount: count)
    next = target + count
  }

  /// Writes text as it is. Precondition: no character of it needs an escape.
  @inlinable
  public mutating func plain(_ text: String) {
    for byte in text.utf8 {
      guard let target = room(1) else { return }
      target[0] = byte
      next = target + 1
    }
  }

  /// Writes an integer.
  @inlinable @inline(__always)
  public mutating func integer(_ value: Int64) {
    guard var target = room(32) else { return }
    if value < 0 {
      target[0] = UInt8(ascii: "-")
      target += 1
    }
    next = JSONDigits.write(value.magnitude, to: target)
  }

  /// Writes `value` times 10 to the minus `places` as a decimal fraction without trailing zeros;
  /// `places` is 1 to 9.
  @inlinable
  public mutating func decimal(_ value: Int32, places: Int) {
    guard var target = room(32) else { return }
    if value < 0 {
      target[0] = UInt8(ascii: "-")
      target += 1
    }
    var unit: UInt32 = 1
    for _ in 0..<places { unit &*= 10 }
    let (whole, fraction) = value.magnitude.quotientAndRemainder(dividingBy: unit)
    target = JSONDigits.write(UInt64(whole), to: target)
    target[0] = UInt8(ascii: ".")
    var rest = fraction
    for place in stride(from: places, through: 1, by: -1) {
      target[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    var length = places
    while length > 1, target[length] == UInt8(ascii: "0") { length -= 1 }
    next = target + length + 1
  }

  /// Writes 16 lower-case hexadecimal digits, without quotes.
  @inlinable @inline(__always)
  public mutating func hex(_ value: UInt64) {
    guard let target = room(16) else { return }
    let raw = UnsafeMutableRawPointer(target)
    raw.storeBytes(of: JSONDigits.hex(UInt32(truncatingIfNeeded: value >> 32)).littleEndian, as: UInt64.self)
    raw.storeBytes(of: JSONDigits.hex(UInt32(truncatingIfNeeded: value)).littleEndian, toByteOffset: 8, as: UInt64.self)
    next = target + 16
  }

  /// Writes a string from well-formed UTF-8.
  @inlinable
  public mutating func string(utf8 text: UnsafeBufferPointer<UInt8>) {
    // An escape takes at most six bytes.
    guard let target = room(6 * text.count + 2) else { return }
    target[0] = UInt8(ascii: "\"")
    let written = JSONEscapes.write(text, to: target + 1)
    written[0] = UInt8(ascii: "\"")
    next = written + 1
  }
}

extension JSONWriter {
  /// Writes one value with a pen.
  /// - Parameters:
  ///   - estimate: The expected length in bytes; the value may be longer.
  ///   - body: Writes the value. If the value was longer, it is called again, and must write the
  ///     same.
  public mutating func stretch(estimate: Int, _ body: (inout JSONPen) -> Void) {
    separate()
    var size = max(estimate, 64)
    while true {
      var pen = JSONPen(room(size), room: size)
      let start = pen.next
      body(&pen)
      if !pen.isCut {
        advance(pen.next - start)
        break
      }
      size *= 2
    }
    needsComma = true
  }
}
