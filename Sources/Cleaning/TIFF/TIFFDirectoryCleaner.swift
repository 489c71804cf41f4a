/// Rewrites one directory with its allowed entries.
struct TIFFDirectoryCleaner {
  let reader: TIFFReader
  let directory: TIFFTree.Directory
  let kind: TIFFCleaner.Kind
  let isDNG: Bool

  private static let captionLimitBytes = 65_536
  private static let xmpLimitBytes = 16 << 20

  func clean(_ result: inout TIFFResult) throws(Uncleanable) {
    if kind == .file { try check() }
    let pictures = try keepPictures(&result)
    var entries: [TIFFReader.Entry] = []
    for entry in directory.entries {
      if try isKept(entry, pictures, result) {
        entries.append(entry)
        if entry.isRemote { result.kept.append(absolute(entry.value, entry.valueBytes)) }
      }
    }
    try rewrite(entries, result.draft)
    result.directories.append(absolute(directory.stored.offset, directory.stored.byteCount))
  }

  private func rewrite(_ entries: [TIFFReader.Entry], _ draft: Draft) throws(Uncleanable) {
    var bytes = reader.bytes(entries.count, 2)
    for entry in entries { bytes += entry.bytes }
    if directory.stored.next != nil { bytes += reader.bytes(directory.next, 4) }
    let padding = directory.stored.byteCount - bytes.count
    guard padding >= 0 else { throw .damaged }
    try draft.write(
      bytes + Array(repeating: 0, count: padding), at: reader.data.start + directory.stored.offset)
  }

  private func isKept(
    _ entry: TIFFReader.Entry, _ pictures: Set<Int>, _ result: TIFFResult
  ) throws(Uncleanable) -> Bool {
    let draft = result.draft
    switch entry.tag {
    case TIFFTag.stripOffsets, TIFFTag.stripCounts, TIFFTag.tileOffsets, TIFFTag.tileCounts, TIFFTag.thumbnailOffset,
      TIFFTag.thumbnailCount:
      return pictures.contains(entry.tag)
    case TIFFTag.subdirectories: return kind == .file && directory.role == .main
    case TIFFTag.xmp where directory.role == .main:
      guard entry.isRemote, entry.valueBytes <= Self.xmpLimitBytes else { return false }
      let isClean: Void? = draft.attempt { () throws(Uncleanable) in
        try XMPCleaner(packet: try reader.data.part(entry.value, entry.valueBytes), draft: draft).clean()
      }
      return isClean != nil
    case _ where directory.role == .main && TIFFTag.captions.contains(entry.tag):
      guard !draft.withheld.contains(.captions), entry.valueBytes <= Self.captionLimitBytes else { return false }
      return !PlaceHints.mayHoldPlace(try reader.data.bytes(entry.value, entry.valueBytes))
    case _ where directory.role == .main && TIFFTag.dates.contains(entry.tag): return try isDate(entry)
    default: return TIFFTag.isAllowed(entry.tag, in: directory.role)
    }
  }

  /// Whether a value has the form of a date that begins with the year or the day. A damaged offset
  /// leads to other bytes.
  private func isDate(_ entry: TIFFReader.Entry) throws(Uncleanable) -> Bool {
    guard (8...26).contains(entry.valueBytes) else { return false }
    let bytes = try reader.data.bytes(entry.value, entry.valueBytes)
    let hasYearFirst = bytes.prefix(4).allSatisfy { (0x30...0x39).contains($0) } && ":-/".utf8.contains(bytes[4])
    let hasDayFirst = bytes[2] == bytes[5] && ".-/".utf8.contains(bytes[2])
    return (hasYearFirst || hasDayFirst)
      && bytes.allSatisfy { "0123456789:-/ TZ+.\0".utf8.contains($0) }
  }

  /// Compressions whose data has no blocks of metadata, and JPEG, which is cleaned.
  private static let compressions: Set<Int> = [1, 2, 3, 4, 5, 7, 8, 32_773, 32_946, 34_892, 50_000]
  /// Kinds of pixels that every reader of TIFF knows.
  private static let pixelKinds: Set<Int> = [0, 1, 2, 3, 4, 5, 6, 8, 9, 10]
  /// Mosaics, linear raw, depth maps and masks of DNG.
  private static let rawPixelKinds: Set<Int> = [32_803, 34_892, 51_177, 52_527]

  /// Refuses raw files whose decoding may need a maker note.
  private func check() throws(Uncleanable) {
    for entry in directory.entries {
      switch entry.tag {
      case TIFFTag.compression:
        // In a thumbnail the old JPEG compression stands for a whole JPEG.
        let isThumbnail = !directory.entries.contains { [TIFFTag.stripOffsets, TIFFTag.tileOffsets].contains($0.tag) }
        for value in try reader.numbers(entry) where !Self.compressions.contains(value) && !(value == 6 && isThumbnail)
        {
          throw .unsupported
        }
      case TIFFTag.photometric:
        for value in try reader.numbers(entry)
        where !Self.pixelKinds.contains(value) && !(isDNG && Self.rawPixelKinds.contains(value)) {
          throw .unsupported
        }
      default: break
      }
    }
  }

  /// Keeps the pictures, and answers the tags that point to them.
  private func keepPictures(_ result: inout TIFFResult) throws(Uncleanable) -> Set<Int> {
    var tags: Set<Int> = []
    for (offsets, counts) in [
      (TIFFTag.stripOffsets, TIFFTag.stripCounts), (TIFFTag.tileOffsets, TIFFTag.tileCounts),
      (TIFFTag.thumbnailOffset, TIFFTag.thumbnailCount),
    ] {
      guard let parts = try parts(offsets, counts) else { continue }
      let isThumbnail = offsets == TIFFTag.thumbnailOffset
      let isJPEG = isThumbnail ? true : try isJPEGCompressed()
      let (draft, depth) = (result.draft, result.depth + 1)
      let ranges = draft.attempt { () throws(Uncleanable) -> [Range<Int>] in
        var ranges: [Range<Int>] = []
        for part in parts where !part.isEmpty {
          let window = try reader.data.part(part.lowerBound, part.count)
          try window.input.claim(window.count)
          ranges.append(window.range)
          if isJPEG { try cleanJPEG(window, draft, depth) } else { try draft.protect(window.range) }
        }
        return ranges
      }
      // A thumbnail may go, the picture of a file may not.
      guard let ranges else {
        if kind == .file, !isThumbnail { throw .damaged }
        continue
      }
      result.kept += ranges
      result.hasPicture = result.hasPicture || !ranges.isEmpty
      tags.formUnion([offsets, counts])
    }
    return tags
  }

  private func cleanJPEG(_ picture: Window, _ draft: Draft, _ depth: Int) throws(Uncleanable) {
    let end = try JPEGCleaner(image: picture, draft: draft, depth: depth).clean()
    try draft.fill((picture.start + end)..<(picture.start + picture.count))
  }

  private func isJPEGCompressed() throws(Uncleanable) -> Bool {
    guard let entry = directory.entries.first(where: { $0.tag == TIFFTag.compression }) else { return false }
    return try reader.numbers(entry).contains { $0 == 7 || $0 == 34_892 }
  }

  /// The parts of a picture; nil if there are none.
  private func parts(_ offsets: Int, _ counts: Int) throws(Uncleanable) -> [Range<Int>]? {
    let offsetEntries = directory.entries.filter { $0.tag == offsets }
    let countEntries = directory.entries.filter { $0.tag == counts }
    guard let offsetEntry = offsetEntries.first, let countEntry = countEntries.first else {
      if kind == .file, offsets != TIFFTag.thumbnailOffset, !(offsetEntries.isEmpty && countEntries.isEmpty) {
        throw .damaged
      }
      return nil
    }
    guard directory.role == .main, offsetEntries.count == 1, countEntries.count == 1 else { throw .damaged }
    let starts = try reader.numbers(offsetEntry)
    let lengths = try reader.numbers(countEntry)
    guard starts.count == lengths.count else { throw .damaged }
    return zip(starts, lengths).map { $0..<($0 + $1) }
  }

  private func absolute(_ offset: Int, _ count: Int) -> Range<Int> {
    (reader.data.start + offset)..<(reader.data.start + offset + count)
  }
}
