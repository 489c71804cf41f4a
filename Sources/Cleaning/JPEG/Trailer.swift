/// The bytes behind the end of a JPEG: further pictures, the film of a motion photo, or anything.
///
/// Pictures and films are cleaned as files of their own; all other bytes are overwritten.
struct Trailer {
  let file: Window
  let draft: Draft

  func clean(from start: Int) throws(Uncleanable) {
    var position = start
    while position < file.count {
      let found = try nextFile(from: position)
      try fill(position..<(found ?? file.count))
      guard let found else { return }
      let part = try file.from(found)
      let length = draft.attempt { () throws(Uncleanable) -> Int in
        if part.starts(with: [0xff, 0xd8]) { return try JPEGCleaner(image: part, draft: draft, depth: 1).clean() }
        return try MovieCleaner(file: part, draft: draft, depth: 1).clean()
      }
      // Another search behind the failed one could take quadratic time.
      guard let length, length > 0 else { return try fill(found..<file.count) }
      position = found + length
    }
  }

  /// The offset of the next start of a JPEG or of an ISO media file.
  private func nextFile(from start: Int) throws(Uncleanable) -> Int? {
    var position = start
    let piece = 32_768
    while position < file.count {
      // Pieces overlap, so that a start across their border is found.
      let bytes = try file.bytes(position, min(piece + 8, file.count - position))
      if let hit = Self.firstFile(in: bytes) { return position + hit }
      position += piece
    }
    return nil
  }

  private static func firstFile(in bytes: [UInt8]) -> Int? {
    for (index, byte) in bytes.enumerated() {
      if byte == 0xff, bytes[index...].starts(with: [0xff, 0xd8, 0xff]) { return index }
      // The type of a film's first box stands behind the box's size.
      if byte == UInt8(ascii: "f"), index >= 4, bytes[index...].starts(with: "ftyp".utf8) { return index - 4 }
    }
    return nil
  }

  private func fill(_ range: Range<Int>) throws(Uncleanable) {
    try draft.fill((file.start + range.lowerBound)..<(file.start + range.upperBound))
  }
}
