/// Finds the bytes of a track's samples.
struct SampleCleaner {
  let file: Window
  /// The media data: ascending, disjoint.
  let media: [Range<Int>]
  let draft: Draft
  let depth: Int

  /// Codecs whose samples hold no metadata of a film; `jpeg` is cleaned.
  private static let codecs: Set<FourCC> = [
    "avc1", "avc2", "avc3", "avc4", "hvc1", "hev1", "dvh1", "dvhe", "dva1", "dvav", "av01", "vp08", "vp09", "mp4v",
    "s263", "h263", "H263", "ap4h", "ap4x", "apch", "apcn", "apcs", "apco", "aprn", "aprh", "SVQ1", "SVQ3", "cvid",
    "jpeg",
  ]

  /// - Returns: The ranges of the samples.
  func clean(_ table: Box, _ kind: FourCC) throws(Uncleanable) -> [Range<Int>] {
    let boxes = try Boxes.all(in: table.payload)
    func only(_ types: FourCC...) throws(Uncleanable) -> Box? {
      let found = boxes.filter { types.contains($0.type) }
      guard found.count <= 1 else { throw .damaged }
      return found.first
    }
    guard let descriptions = try only("stsd"), let sizes = try only("stsz", "stz2"), let runs = try only("stsc"),
      let chunks = try only("stco", "co64")
    else { throw .damaged }
    let entries = try Boxes.all(in: descriptions.content(8))
    let isPicture = !["soun", "tmcd"].contains(kind)
    if isPicture, !entries.allSatisfy({ Self.codecs.contains($0.type) }) { throw .unsupported }

    if isPicture { for entry in entries { try cleanDescription(entry) } }
    let samples = try SampleTable(sizes: sizes, runs: runs, chunks: chunks)
    let unit = kind == "soun" ? try SoundDescription(entries).unit : SoundDescription.Unit(bytes: 0, samples: 1)
    let isJPEG = entries.contains { $0.type == "jpeg" }
    let stream = isPicture ? try NALStream(entries) : nil
    var kept: [Range<Int>] = []
    try samples.forEachChunk { (offset, chunk) throws(Uncleanable) in
      var count = 0
      if let size = samples.fixedSize, !isJPEG, stream == nil {
        // A size of 1 without a description stands for an unknown size.
        guard kind != "soun" || size > 1 || unit.bytes > 0 else { throw .unsupported }
        count = try unit.bytes(chunk.count, size: size)
      } else {
        for size in chunk {
          // A truncated film ends before its samples.
          guard offset + count < file.count else { break }
          if let sample = try window(offset + count, size) {
            try file.input.claim(sample.count)
            if isJPEG { try cleanPicture(sample) }
            try stream?.clean(sample, draft)
          }
          count += size
        }
      }
      guard let part = try window(offset, count) else { return }
      // Neighbouring chunks are one range.
      if let last = kept.last, last.upperBound == part.start {
        kept[kept.count - 1] = last.lowerBound..<(part.start + part.count)
      } else {
        kept.append(part.range)
      }
    }
    return kept
  }

  /// Settings of codecs, colour, shape and stereo pictures.
  private static let settings: Set<FourCC> = [
    "avcC", "hvcC", "lhvC", "hvcE", "dvcC", "dvvC", "dvwC", "av1C", "vpcC", "esds", "d263", "glbl", "colr", "pasp",
    "clap", "fiel", "gama", "btrt", "mdcv", "clli", "SmDm", "CoLL", "amve", "ccst", "auxi", "vexu", "hfov", "chrm",
    "SMI ",
  ]

  /// Older codecs may have settings that are no boxes.
  private func cleanDescription(_ entry: Box) throws(Uncleanable) {
    guard let content = try? entry.content(78), let boxes = try? Boxes.all(in: content) else { return }
    for box in boxes where !Self.settings.contains(box.type) { try draft.blank(box) }
  }

  /// Samples at an offset; nil if the file ends before them.
  private func window(_ offset: Int, _ count: Int) throws(Uncleanable) -> Window? {
    guard offset < file.count, count > 0 else { return nil }
    let part = try file.part(offset, min(count, file.count - offset))
    guard Ranges.contain(media, part.range) else { throw .unsupported }
    return part
  }

  private func cleanPicture(_ picture: Window) throws(Uncleanable) {
    let end = try JPEGCleaner(image: picture, draft: draft, depth: depth + 1).clean()
    try draft.fill((picture.start + end)..<(picture.start + picture.count))
  }
}
