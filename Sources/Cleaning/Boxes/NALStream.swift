/// The units of H.264 or H.265 in a film's samples. Filler replaces information that programs define
/// for themselves, which may hold a place, as in AVCHD.
///
/// Source: https://www.itu.int/rec/T-REC-H.264 (annex D), https://www.itu.int/rec/T-REC-H.265
struct NALStream {
  private let lengthBytes: Int
  private let isHEVC: Bool

  private static let codecs: Set<FourCC> = [
    "avc1", "avc2", "avc3", "avc4", "hvc1", "hev1", "dvh1", "dvhe", "dva1", "dvav",
  ]
  private static let unitLimit = 65_536
  private static let messageLimitBytes = 1 << 20
  /// Timing, pan and scan, filler, recovery, film grain, frame packing, orientation, picture hash,
  /// colour volume, light level, transfer function.
  private static let allowed: Set<Int> = [
    0, 1, 2, 3, 6, 9, 19, 45, 47, 128, 129, 130, 131, 132, 133, 136, 137, 144, 147, 148, 149,
  ]

  /// Nil for other codecs.
  init?(_ entries: [Box]) throws(Uncleanable) {
    var found: (lengthBytes: Int, isHEVC: Bool)?
    let coded = entries.filter { Self.codecs.contains($0.type) }
    for entry in coded {
      for box in try Boxes.all(in: entry.content(78)) {
        let one: (lengthBytes: Int, isHEVC: Bool)
        switch box.type {
        case "avcC": one = (try box.payload.number(4, 1) & 3 + 1, false)
        case "hvcC": one = (try box.payload.number(21, 1) & 3 + 1, true)
        default: continue
        }
        if let found, found != one { throw .unsupported }
        found = one
      }
    }
    // Without a configuration the units cannot be told apart.
    guard found != nil || coded.isEmpty else { throw .unsupported }
    guard let found else { return nil }
    (lengthBytes, isHEVC) = found
  }

  func clean(_ sample: Window, _ draft: Draft) throws(Uncleanable) {
    var position = 0
    for count in 0... {
      guard count < Self.unitLimit else { throw .tooComplex }
      guard position + lengthBytes < sample.count else { return }
      let length = try sample.number(position, lengthBytes)
      position += lengthBytes
      // The last sample of a truncated film ends early.
      let unit = try sample.part(position, min(length, sample.count - position))
      position += unit.count
      if unit.count > headerBytes { try cleanUnit(unit, draft) }
    }
  }

  private var headerBytes: Int { isHEVC ? 2 : 1 }

  private func cleanUnit(_ unit: Window, _ draft: Draft) throws(Uncleanable) {
    let first = Int(try unit.byte(0))
    let type = isHEVC ? first >> 1 & 63 : first & 31
    // Units without a meaning of their own, except for Dolby Vision's.
    if isHEVC ? (48...61).contains(type) : type == 0 || type >= 24 {
      return try draft.fill((unit.start + headerBytes)..<(unit.start + unit.count), with: 0xff)
    }
    guard isHEVC ? type == 39 || type == 40 : type == 6 else { return }
    guard unit.count <= Self.messageLimitBytes else { throw .tooComplex }
    let body = try unit.from(headerBytes)
    if isAllowed(try body.all()) { return }
    try draft.write(Self.filler(body.count), at: body.start)
  }

  private func isAllowed(_ escaped: [UInt8]) -> Bool {
    var bytes: [UInt8] = []
    var zeros = 0
    for byte in escaped {
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      bytes.append(byte)
    }
    var rest = bytes[...]
    // The last byte marks the end.
    while rest.count > 1 {
      guard let type = Self.number(&rest), let size = Self.number(&rest), size <= rest.count else { return false }
      let payload = rest.prefix(size)
      guard Self.allowed.contains(type) || type == 4 && Self.isKnownExtension(payload) else { return false }
      rest = rest.dropFirst(size)
      // Zeros may follow the end mark.
      if rest.first == 0x80, rest.dropFirst().allSatisfy({ $0 == 0 }) { return true }
    }
    return true
  }

  /// HDR10+.
  private static func isKnownExtension(_ payload: ArraySlice<UInt8>) -> Bool {
    payload.starts(with: [0xb5, 0x00, 0x3c])
  }

  /// A number of supplemental information: each 0xFF adds 255.
  private static func number(_ bytes: inout ArraySlice<UInt8>) -> Int? {
    var value = 0
    while let byte = bytes.popFirst() {
      value += Int(byte)
      if byte != 0xff { return value }
    }
    return nil
  }

  /// A valid unit's body of this length with filler alone.
  static func filler(_ count: Int) -> [UInt8] {
    // Type, size, payload, end mark. The size takes another byte for each 255 bytes of payload, so
    // that one of 256 lengths fits no single unit, and takes two.
    guard count >= 4 else { return Array([UInt8(3), 0, 0x80].prefix(count)) }
    if count % 256 == 2 { return [3, 0] + filler(count - 2) }
    let sizeBytes = (count - 2) / 256 + 1
    let payload = count - 2 - sizeBytes
    let size = Array(repeating: UInt8(0xff), count: sizeBytes - 1) + [UInt8(payload - 255 * (sizeBytes - 1))]
    return [3] + size + Array(repeating: 0xff, count: payload) + [0x80]
  }
}
