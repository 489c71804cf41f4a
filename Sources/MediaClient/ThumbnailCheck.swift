/// Checks a thumbnail's structure before an app gets it, without trusting the worker: it may
/// contain only the picture.
enum ThumbnailCheck {
  static func isPlain(_ bytes: UnsafeRawBufferPointer, _ encoding: ThumbnailRequest.Encoding) -> Bool {
    switch encoding {
    case .jpeg: isPlainJPEG(bytes)
    case .webp: isPlainWebP(bytes)
    }
  }

  /// Checks the segments up to the first scan: JFIF, tables, frame. No EXIF, XMP, ICC profile,
  /// comment or second image.
  private static func isPlainJPEG(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count > 4, bytes[0] == 0xff, bytes[1] == 0xd8, bytes[bytes.count - 2] == 0xff,
      bytes[bytes.count - 1] == 0xd9
    else {
      return false
    }
    var at = 2
    while at + 4 <= bytes.count {
      guard bytes[at] == 0xff else { return false }
      let marker = bytes[at + 1]
      if marker == 0xda { return true }
      // JFIF header; quantisation, frame, Huffman tables, restart interval.
      guard [0xe0, 0xdb, 0xc0, 0xc2, 0xc4, 0xdd].contains(marker) else { return false }
      at += 2 + (Int(bytes[at + 2]) << 8 | Int(bytes[at + 3]))
    }
    return false
  }

  private static func isPlainWebP(_ bytes: UnsafeRawBufferPointer) -> Bool {
    func word(_ at: Int) -> [UInt8] { Array(bytes[at..<at + 4]) }
    guard bytes.count >= 20, word(0) == Array("RIFF".utf8), word(8) == Array("WEBP".utf8) else { return false }
    let pictures = ["VP8 ", "VP8L", "VP8X", "ALPH"].map { Array($0.utf8) }
    var at = 12
    while at + 8 <= bytes.count {
      guard pictures.contains(word(at)) else { return false }
      let length = (0..<4).reduce(0) { $0 | Int(bytes[at + 4 + $1]) << (8 * $1) }
      at += 8 + length + length % 2
    }
    return at == bytes.count
  }
}
