/// A checked file name, and the alternatives if it is taken.
struct NameCandidates {
  let plain: String
  private let stem: Substring
  private let suffix: Substring

  /// - Throws: `invalidName`.
  init(_ name: String) throws(DeliveryError) {
    let bytes = name.utf8
    guard (1...AtomicFile.nameLimitBytes).contains(bytes.count), bytes.first != UInt8(ascii: "."),
      !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "/") })
    else { throw .invalidName }
    plain = name
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    stem = name[..<dot]
    suffix = name[dot...]
  }

  func suffixed(_ text: String) -> String { "\(stem)-\(text)\(suffix)" }
}
