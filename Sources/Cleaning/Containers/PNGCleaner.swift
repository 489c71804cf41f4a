/// PNG and APNG.
///
/// Source: https://www.w3.org/TR/png-3/
struct PNGCleaner {
  static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

  let file: Window
  let draft: Draft

  private static let chunkLimit = 200_000
  private static let kept: Set<FourCC> = [
    "IHDR", "PLTE", "IDAT", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "bKGD", "hIST", "pHYs", "sPLT", "tIME",
    "acTL", "fcTL", "fdAT", "cICP", "mDCV", "mDCv", "cLLI", "cLLi", "CgBI", "iDOT",
  ]
  /// A private, optional chunk that no program reads.
  private static let blank = FourCC("zeRo")

  private struct Chunk {
    let type: FourCC
    /// The type and the data, which the checksum covers.
    let checked: Window
    let data: Window
  }

  func clean() throws(Uncleanable) {
    var offset = Self.signature.count
    for _ in 0..<Self.chunkLimit {
      // A truncated file ends inside its picture.
      guard offset < file.count else { return }
      let length = try file.number(offset, 4)
      let type = FourCC(try file.number(offset + 4, 4))
      if length > file.count - offset - 12 {
        guard type == "IDAT" else { throw .damaged }
        return try draft.protect((file.start + offset)..<(file.start + file.count))
      }
      let checked = try file.part(offset + 4, length + 4)
      try cleanChunk(Chunk(type: type, checked: checked, data: checked.from(4)))
      offset += length + 12
      if type == "IEND" { return try draft.fill((file.start + offset)..<(file.start + file.count)) }
    }
    throw .tooComplex
  }

  private func cleanChunk(_ chunk: Chunk) throws(Uncleanable) {
    switch chunk.type {
    case "IDAT", "fdAT": try draft.protect(chunk.checked.range)
    case "IEND": if chunk.data.count > 0 { throw .unsupported }
    case "eXIf":
      try replace(chunk) { () throws(Uncleanable) in
        let isClean: Void? = draft.attempt { () throws(Uncleanable) in
          try TIFFCleaner(data: chunk.data, draft: draft, kind: .exif, depth: 1).clean()
        }
        if isClean == nil { try erase(chunk) }
      }
    case "tEXt", "zTXt", "iTXt": try cleanText(chunk)
    case _ where Self.kept.contains(chunk.type): break
    // Unknown chunks that decoders need.
    case _ where chunk.type.bytes[0] & 0x20 == 0: throw .unsupported
    default: try replace(chunk) { () throws(Uncleanable) in try erase(chunk) }
    }
  }

  private static let texts: Set<String> = ["Software", "Creation Time", "date:create", "date:modify"]
  private static let captions: Set<String> = [
    "Title", "Author", "Description", "Copyright", "Comment", "Source", "Disclaimer", "Warning",
  ]
  private static let xmp = "XML:com.adobe.xmp"
  private static let textLimitBytes = 16 << 20

  private func cleanText(_ chunk: Chunk) throws(Uncleanable) {
    guard chunk.data.count <= Self.textLimitBytes else { throw .tooComplex }
    let data = try chunk.data.all()
    let keyword = String(decoding: data.prefix { $0 != 0 }, as: UTF8.self)
    // The XMP of an uncompressed iTXt without language and translated keyword.
    let xmpHeader = Array(Self.xmp.utf8) + [0, 0, 0, 0, 0]
    try replace(chunk) { () throws(Uncleanable) in
      if chunk.type == "iTXt", data.starts(with: xmpHeader) {
        let isClean: Void? = draft.attempt { () throws(Uncleanable) in
          try XMPCleaner(packet: chunk.data.from(xmpHeader.count), draft: draft).clean()
        }
        if isClean == nil { try erase(chunk) }
      } else if !isAllowed(chunk.type, keyword, data) {
        try erase(chunk)
      }
    }
  }

  private func isAllowed(_ type: FourCC, _ keyword: String, _ data: [UInt8]) -> Bool {
    guard type != "zTXt", keyword.utf8.count < data.count else { return false }
    let text = data.dropFirst(keyword.utf8.count + 1)
    if type == "iTXt", text.first != 0 { return false }
    if Self.texts.contains(keyword) { return true }
    return Self.captions.contains(keyword) && !draft.withheld.contains(.captions) && !PlaceHints.mayHoldPlace(text)
  }

  private func erase(_ chunk: Chunk) throws(Uncleanable) {
    try draft.write(Self.blank.bytes, at: chunk.checked.start)
    try draft.fill(chunk.data.range)
  }

  /// Changes a chunk and its checksum.
  private func replace(_ chunk: Chunk, _ change: () throws(Uncleanable) -> Void) throws(Uncleanable) {
    var copy = try chunk.checked.all()
    let before = copy
    try draft.apply(to: &copy, from: chunk.checked.start, change)
    if copy != before {
      let sum = CRC32.of(copy)
      let bytes = (0..<4).map { UInt8(truncatingIfNeeded: sum >> UInt32(24 - 8 * $0)) }
      try draft.write(bytes, at: chunk.checked.start + chunk.checked.count)
    }
  }
}
