/// An address by which a machine reaches itself and nobody else does: one of 127.0.0.0/8.
public struct LoopbackAddress: Sendable, Hashable, CustomStringConvertible {
  /// Its four bytes, the first one the highest.
  public let number: UInt32

  /// - Returns: Nil where it is none of these.
  public init?(_ number: UInt32) {
    guard number >> 24 == 127 else { return nil }
    self.number = number
  }

  /// Takes an address in the one way that browsers write it: four decimal numbers, without zeros before them.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var number: UInt32 = 0
    for part in parts {
      guard let byte = UInt8(part), String(byte) == part else { return nil }
      number = number << 8 | UInt32(byte)
    }
    self.init(number)
  }

  public var description: String { [24, 16, 8, 0].map { String(number >> $0 & 255) }.joined(separator: ".") }
}
