import Foundation

/// A recording in MPEG-TS with one video stream and no picture.
struct TransportStream {
  let data: Data

  /// - Parameter hasTimes: whether four bytes of time precede each packet, as in cameras' files.
  init(packets: Int, hasTimes: Bool) {
    let tables = [
      Self.packet(on: 0, Self.section(table: 0, [0, 1, 0xe1, 0])),
      // H.264 and its clock on 0x101.
      Self.packet(on: 0x100, Self.section(table: 2, [0xe1, 1, 0xf0, 0, 0x1b, 0xe1, 1, 0xf0, 0])),
    ]
    let start: [UInt8] = [0, 0, 1, 0xe0, 0, 0, 0x80, 0x80, 5, 0x21, 0, 1, 0, 1]
    let video = (0..<max(0, packets - tables.count)).map { Self.packet(on: 0x101, start, count: $0) }
    data = Data((tables + video).flatMap { hasTimes ? [0, 0, 0, 0] + $0 : $0 })
  }

  private static func packet(on stream: Int, _ content: [UInt8], count: Int = 0) -> [UInt8] {
    let header: [UInt8] = [0x47, 0x40 | UInt8(stream >> 8), UInt8(stream & 0xff), 0x10 | UInt8(count & 15)]
    return header + content + [UInt8](repeating: 0xff, count: 184 - content.count)
  }

  private static func section(table: UInt8, _ content: [UInt8]) -> [UInt8] {
    let body = [table, 0xb0, UInt8(content.count + 9), 0, 1, 0xc1, 0, 0] + content
    return [0] + body + checksum(body)
  }

  /// Source: ISO/IEC 13818-1, annex A
  private static func checksum(_ bytes: [UInt8]) -> [UInt8] {
    var register = UInt32.max
    for byte in bytes {
      register ^= UInt32(byte) << 24
      for _ in 0..<8 { register = register & 0x8000_0000 != 0 ? register << 1 ^ 0x04c1_1db7 : register << 1 }
    }
    return (0..<4).reversed().map { UInt8(truncatingIfNeeded: register >> (8 * $0)) }
  }
}
