/// The datasets of IPTC-IIM.
///
/// Source: https://www.iptc.org/std/IIM/4.2/specification/IIMV4.2.pdf
enum IPTCDatasets {
  /// Version, character set, dates, times and programs.
  private static let kept: Set<Int> = [0x100, 0x15a, 0x200, 0x237, 0x23c, 0x23e, 0x23f, 0x241, 0x246]
  /// Title, keywords, instructions, creator, headline, credit, source, rights, caption and its
  /// writer.
  private static let captions: Set<Int> = [
    0x205, 0x219, 0x228, 0x250, 0x255, 0x269, 0x26e, 0x273, 0x274, 0x278, 0x27a,
  ]

  /// The allowed datasets of a stream, in their order.
  static func cleaned(_ stream: [UInt8], _ withheld: ErasedFacts) throws(Uncleanable) -> [UInt8] {
    var cleaned: [UInt8] = []
    var rest = stream[...]
    while rest.first == 0x1c {
      guard rest.count >= 5 else { throw .damaged }
      let header = Array(rest.prefix(5))
      let count = Int(header[3]) << 8 | Int(header[4])
      // The highest bit announces a longer count, for data of more than 32 KiB.
      guard count < 0x8000, rest.count - 5 >= count else { throw .damaged }
      let dataset = rest.prefix(5 + count)
      let key = Int(header[1]) << 8 | Int(header[2])
      let isCaption =
        captions.contains(key) && !withheld.contains(.captions) && !PlaceHints.mayHoldPlace(dataset.dropFirst(5))
      if kept.contains(key) || isCaption { cleaned += dataset }
      rest = rest.dropFirst(5 + count)
    }
    guard rest.allSatisfy({ $0 == 0 }) else { throw .damaged }
    return cleaned
  }
}
