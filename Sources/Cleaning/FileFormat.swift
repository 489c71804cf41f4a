/// The format of a file by its first bytes.
enum FileFormat {
  static func clean(_ file: Window, _ draft: Draft) throws(Uncleanable) {
    let head = try file.bytes(0, min(16, file.count))
    if head.starts(with: [0xff, 0xd8, 0xff]) {
      let end = try JPEGCleaner(image: file, draft: draft).clean()
      try Trailer(file: file, draft: draft).clean(from: end)
    } else if head.starts(with: PNGCleaner.signature) {
      try PNGCleaner(file: file, draft: draft).clean()
    } else if head.starts(with: "GIF8".utf8) {
      try GIFCleaner(file: file, draft: draft).clean()
    } else if head.starts(with: "RIFF".utf8), head.dropFirst(8).starts(with: "WEBP".utf8) {
      try WebPCleaner(file: file, draft: draft).clean()
    } else if head.starts(with: [0x49, 0x49, 42, 0]) || head.starts(with: [0x4d, 0x4d, 0, 42]) {
      try TIFFCleaner(data: file, draft: draft, kind: .file).clean()
    } else if head.starts(with: [0x1a, 0x45, 0xdf, 0xa3]) {
      try MatroskaCleaner(file: file, draft: draft).clean()
    } else if MovieCleaner.isMovie(head) {
      let end = try MovieCleaner(file: file, draft: draft).clean()
      try draft.fill((file.start + end)..<(file.start + file.count))
    } else {
      throw .unknownFormat
    }
  }
}
