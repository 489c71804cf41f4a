/// A loopback address, in 127.0.0.0/8.
public struct LoopbackAddress: Sendable, Hashable, CustomStringConvertible {
  /// The four bytes, the first one highest.
  public let number: UInt32

  /// - Returns: Nil outside 127.0.0.0/8.
  public init?(_ number: UInt32) {
    guard number >> 24 == 127 else { return nil }
    self.number = number
  }

  /// Parses the one form that browsers write: four decimal numbers without leading zeros.
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
