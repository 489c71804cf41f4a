/// An XMP packet. Properties of the allow list stay; spaces overwrite the others.
struct XMPCleaner {
  let packet: Window
  let draft: Draft

  private static let limitBytes = 16 << 20

  func clean() throws(Uncleanable) {
    guard packet.count <= Self.limitBytes else { throw .tooComplex }
    let bytes = try packet.all()
    // Some programs end the packet with NULs.
    let text = Array(bytes.prefix { $0 != 0 })
    guard bytes.dropFirst(text.count).allSatisfy({ $0 == 0 }),
      String(validating: text, as: UTF8.self) != nil
    else { throw .damaged }
    var pass = XMPPass(bytes: text, withheld: draft.withheld)
    for range in try pass.blanks() {
      try draft.fill((packet.start + range.lowerBound)..<(packet.start + range.upperBound), with: 0x20)
    }
  }
}
