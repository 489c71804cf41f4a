extension FileKind {
  /// Length of a file's beginning, in bytes, that shows its kind.
  public static let signatureBytes = 400

  /// The kind of a file with a name that tells none, by its first ``signatureBytes`` bytes: photo,
  /// video or other. Raw files are photos here. Sources: the formats' specifications.
  public init(_ name: String, signature bytes: some Collection<UInt8>) {
    let head = Array(bytes.prefix(Self.signatureBytes))
    self = Self.isPhoto(head) ? .photo : Self.isVideo(head) && !Self.isSound(name) ? .video : .other
  }

  /// Sounds share the containers of videos.
  private static func isSound(_ name: String) -> Bool {
    ["m4a", "m4b", "m4p", "m4r", "mka", "wma"].contains(ending(name))
  }

  /// Each scalar is one byte.
  private static func has(_ head: [UInt8], _ offset: Int, _ text: String) -> Bool {
    head.dropFirst(offset).starts(with: text.unicodeScalars.lazy.map { UInt8(truncatingIfNeeded: $0.value) })
  }

  private static let photos = [
    "\u{ff}\u{d8}\u{ff}", "\u{89}PNG\r\n\u{1a}\n", "GIF87a", "GIF89a", "\u{ff}\n", "\0\0\0\u{0c}JXL \r\n\u{87}\n",
    "\0\0\0\u{0c}jP  \r\n\u{87}\n", "\u{ff}O\u{ff}Q", "II\u{bc}\u{01}", "8BPS\0", "II\u{1a}\0\0\0HEAPCCDR",
    "FUJIFILMCCD-RAW", "\0MRM", "FOVb", "IIRO", "IIRS", "MMOR", "IIU\0", "II*\0", "MM\0*", "II+\0\u{08}\0\0\0",
    "MM\0+\0\u{08}\0\0",
  ]

  private static func isPhoto(_ head: [UInt8]) -> Bool {
    if photos.contains(where: { has(head, 0, $0) }) { return true }
    if has(head, 0, "RIFF") { return has(head, 8, "WEBP") }
    // A bitmap's reserved bytes distinguish it from a text.
    if has(head, 0, "BM") { return has(head, 6, "\0\0\0\0") }
    guard has(head, 4, "ftyp") else { return false }
    return ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1", "avif", "avis", "miaf", "crx "]
      .contains { has(head, 8, $0) }
  }

  private static let sounds = ["M4A ", "M4B ", "M4P ", "F4A ", "F4B "]

  private static func isVideo(_ head: [UInt8]) -> Bool {
    if has(head, 4, "ftyp") { return !sounds.contains { has(head, 8, $0) } }
    if ["moov", "mdat", "wide", "pnot"].contains(where: { has(head, 4, $0) }) { return true }
    if has(head, 0, "RIFF") { return has(head, 8, "AVI ") }
    let others = ["\u{1a}E\u{df}\u{a3}", "\0\0\u{01}\u{ba}", "0&\u{b2}u\u{8e}f\u{cf}\u{11}"]
    if others.contains(where: { has(head, 0, $0) }) { return true }
    // Packets of MPEG transport streams begin with "G"; those of AVCHD have four bytes before it.
    return [188, 192].contains { size in
      stride(from: size - 188, to: signatureBytes, by: size).allSatisfy { has(head, $0, "G") }
    }
  }
}
