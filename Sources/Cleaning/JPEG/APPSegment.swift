/// The content of an application segment of a JPEG.
struct APPSegment {
  let payload: Window
  let draft: Draft
  let depth: Int

  private static let xmp = "http://ns.adobe.com/xap/1.0/\0"
  private static let photoshop = "Photoshop 3.0\0"
  private static let gainMap = "urn:iso:std:iso:ts:21496:-1\0"

  func clean(_ code: UInt8) throws(Uncleanable) {
    switch code {
    case 0xe0 where payload.starts(with: "JFIF\0"): try keep(try thumbnailEnd())
    // The field order of films' pictures.
    case 0xe0 where payload.starts(with: "AVI1"): try keep(14)
    case 0xe1 where payload.starts(with: "Exif\0"):
      // The byte behind the name is undefined.
      try replace(from: 6) { (content: Window) throws(Uncleanable) in
        try TIFFCleaner(data: content, draft: draft, kind: .exif, depth: depth + 1).clean()
      }
    case 0xe1 where payload.starts(with: Self.xmp):
      try replace(from: Self.xmp.utf8.count) { (content: Window) throws(Uncleanable) in
        try XMPCleaner(packet: content, draft: draft).clean()
      }
    case 0xe2 where payload.starts(with: "ICC_PROFILE\0") || payload.starts(with: Self.gainMap): return
    case 0xe2 where payload.starts(with: "MPF\0"):
      try replace(from: 4) { (content: Window) throws(Uncleanable) in
        try TIFFCleaner(data: content, draft: draft, kind: .images, depth: depth + 1).clean()
      }
    case 0xed where payload.starts(with: Self.photoshop):
      try replace(from: Self.photoshop.utf8.count) { (content: Window) throws(Uncleanable) in
        try PhotoshopCleaner(blocks: content, draft: draft).clean()
      }
    case 0xee where payload.starts(with: "Adobe"): try keep(12)
    default: try draft.fill(payload.range)
    }
  }

  /// Cleans the content behind a name. A damaged block is overwritten as a whole.
  private func replace(
    from offset: Int, _ clean: (Window) throws(Uncleanable) -> Void
  ) throws(Uncleanable) {
    let isClean: Void? = draft.attempt { () throws(Uncleanable) in try clean(try payload.from(offset)) }
    if isClean == nil { try draft.fill(payload.range) }
  }

  private func keep(_ count: Int) throws(Uncleanable) {
    try draft.fill((payload.start + min(count, payload.count))..<(payload.start + payload.count))
  }

  private func thumbnailEnd() throws(Uncleanable) -> Int {
    guard payload.count >= 14 else { return payload.count }
    return 14 + 3 * Int(try payload.byte(12)) * Int(try payload.byte(13))
  }
}
