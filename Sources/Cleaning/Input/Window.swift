/// A part of the file, such as a box or a file inside the file. Offsets count from its start.
struct Window {
  let input: Input
  let start: Int
  let count: Int

  init(_ input: Input) {
    self.input = input
    start = 0
    count = input.count
  }

  private init(_ input: Input, _ start: Int, _ count: Int) {
    self.input = input
    self.start = start
    self.count = count
  }

  /// The bytes that it covers in the file.
  var range: Range<Int> { start..<(start + count) }

  func part(_ offset: Int, _ count: Int) throws(Uncleanable) -> Window {
    guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset else { throw .damaged }
    return Window(input, start + offset, count)
  }

  func from(_ offset: Int) throws(Uncleanable) -> Window { try part(offset, count - min(offset, count)) }

  func bytes(_ offset: Int, _ count: Int) throws(Uncleanable) -> [UInt8] {
    let part = try part(offset, count)
    return try input.bytes(part.start, part.count)
  }

  func all() throws(Uncleanable) -> [UInt8] { try input.bytes(start, count) }

  func byte(_ offset: Int) throws(Uncleanable) -> UInt8 { try bytes(offset, 1)[0] }

  /// An unsigned number of 1 to 7 bytes.
  func number(_ offset: Int, _ count: Int, isLittle: Bool = false) throws(Uncleanable) -> Int {
    let bytes = try bytes(offset, count)
    return (isLittle ? bytes.reversed() : bytes).reduce(0) { $0 << 8 | Int($1) }
  }

  /// An unsigned number of 8 bytes; an error if it is larger than any file.
  func long(_ offset: Int) throws(Uncleanable) -> Int {
    guard try number(offset, 2) == 0 else { throw .damaged }
    return try number(offset + 2, 6)
  }

  func starts(with text: String, at offset: Int = 0) -> Bool { starts(with: Array(text.utf8), at: offset) }

  func starts(with expected: [UInt8], at offset: Int = 0) -> Bool {
    (try? bytes(offset, expected.count)) == expected
  }

  /// The offset at or behind `offset` that ``Input/find(_:notBefore:in:)`` finds.
  func find(_ byte: UInt8, notBefore follower: UInt8, from offset: Int) throws(Uncleanable) -> Int? {
    guard offset < count else { return nil }
    return try input.find(byte, notBefore: follower, in: (start + offset)..<(start + count)).map { $0 - start }
  }
}
