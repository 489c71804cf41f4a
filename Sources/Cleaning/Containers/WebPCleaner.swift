/// WebP.
///
/// Source: https://developers.google.com/speed/webp/docs/riff_container
struct WebPCleaner {
  let file: Window
  let draft: Draft

  private static let chunkLimit = 200_000
  private static let kept: Set<FourCC> = ["VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP"]

  func clean() throws(Uncleanable) {
    let size = try file.number(4, 4, isLittle: true)
    // The size leaves out the first 8 bytes. A truncated file is shorter.
    let end = min(file.count, size + 8 + size % 2)
    try cleanChunks(in: try file.part(0, end), from: 12)
    try draft.fill((file.start + end)..<(file.start + file.count))
  }

  private func cleanChunks(in part: Window, from start: Int) throws(Uncleanable) {
    var offset = start
    for _ in 0..<Self.chunkLimit {
      guard part.count - offset >= 8 else {
        return try draft.fill((part.start + min(offset, part.count))..<(part.start + part.count))
      }
      let type = FourCC(try part.number(offset, 4))
      let size = try part.number(offset + 4, 4, isLittle: true)
      let isCut = size > part.count - offset - 8
      guard !isCut || Self.kept.contains(type) else { throw .damaged }
      let data = try part.part(offset + 8, min(size, part.count - offset - 8))
      try cleanChunk(type, at: part.start + offset, data)
      offset += 8 + size + size % 2
    }
    throw .tooComplex
  }

  private func cleanChunk(_ type: FourCC, at offset: Int, _ data: Window) throws(Uncleanable) {
    let isClean: Void? =
      switch type {
      case "EXIF":
        draft.attempt { () throws(Uncleanable) in
          let isPrefixed = data.starts(with: "Exif\0\0")
          try TIFFCleaner(data: try data.from(isPrefixed ? 6 : 0), draft: draft, kind: .exif, depth: 1).clean()
        }
      case "XMP ": draft.attempt { () throws(Uncleanable) in try XMPCleaner(packet: data, draft: draft).clean() }
      // A frame of an animation: 16 bytes, then chunks.
      case "ANMF": try cleanChunks(in: data, from: 16)
      case "VP8 ", "VP8L", "ALPH": try draft.protect(data.range)
      default: Self.kept.contains(type) ? () : nil
      }
    guard isClean == nil else { return }
    try draft.write(FourCC("JUNK").bytes, at: offset)
    try draft.fill(data.range)
  }
}
