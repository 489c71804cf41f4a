/// Writes JSON text into room that was made beforehand, for answers that consist of thousands of
/// small pieces.
///
/// It looks at its room before each piece, and writes nothing that does not fit:
/// `JSONWriter.stretch` then makes more and has all of it written again. Commas are the caller's:
/// what it writes must be JSON text as a whole.
@frozen public struct JSONPen: ~Copyable {
  @usableFromInline var next: UnsafeMutablePointer<UInt8>
  @usableFromInline let end: UnsafeMutablePointer<UInt8>
  /// Something did not fit.
  @usableFromInline var isCut = false

  @inlinable init(_ start: UnsafeMutablePointer<UInt8>, room: Int) {
    next = start
    end = start + room
  }

  /// Where `count` bytes go; nil where there is no room for them.
  @inlinable @inline(__always)
  mutating func room(_ count: Int) -> UnsafeMutablePointer<UInt8>? {
    guard end - next >= count else {
      isCut = true
      return nil
    }
    return next
  }

  /// Writes JSON text as it is.
  @inlinable @inline(__always)
  public mutating func text(_ text: StaticString) {
    let count = text.utf8CodeUnitCount
    guard let target = room(count) else { return }
    UnsafeMutableRawPointer(target).copyMemory(from: text.utf8Start, byteCount: count)
    next = target + count
  }

  /// Writes text that needs no escapes, as it is.
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

  /// Writes a whole number of 10 to the minus `places`, 1 to 9, as a decimal fraction, without zeros at its end.
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

  /// Writes a string from bytes that are well-formed UTF-8.
  @inlinable
  public mutating func string(utf8 text: UnsafeBufferPointer<UInt8>) {
    // An escaped byte takes six at most.
    guard let target = room(6 * text.count + 2) else { return }
    target[0] = UInt8(ascii: "\"")
    let written = JSONEscapes.write(text, to: target + 1)
    written[0] = UInt8(ascii: "\"")
    next = written + 1
  }
}

extension JSONWriter {
  /// Writes one value by a pen.
  /// - Parameters:
  ///   - estimate: How many bytes it will probably take; there may be more.
  ///   - body: Writes the value. It is called again, and must write the same again, when there were more.
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
