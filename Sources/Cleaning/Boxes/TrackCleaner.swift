/// A film's index: its tracks and its metadata.
struct TrackCleaner {
  let samples: SampleCleaner
  let draft: Draft

  private static let track: Set<FourCC> = [
    "tkhd", "edts", "mdia", "tref", "load", "tapt", "clip", "matt", "imap", "trgr",
  ]
  private static let media: Set<FourCC> = ["mdhd", "hdlr", "minf", "elng"]
  private static let information: Set<FourCC> = [
    "vmhd", "smhd", "gmhd", "hmhd", "nmhd", "sthd", "hdlr", "dinf", "stbl",
  ]
  private static let table: Set<FourCC> = [
    "stsd", "stts", "ctts", "cslg", "stss", "stps", "stsh", "stsc", "stsz", "stz2", "stco", "co64", "sdtp", "sgpd",
    "sbgp", "subs", "saiz", "saio", "padb", "stdp",
  ]
  private static let trackLimit = 256

  /// - Returns: The ranges of the media data that stay.
  func clean(_ movie: Box) throws(Uncleanable) -> [Range<Int>] {
    var kept: [Range<Int>] = []
    var trackCount = 0
    for box in try Boxes.all(in: movie.payload) {
      switch box.type {
      case "mvhd", "iods": break
      case "trak":
        trackCount += 1
        guard trackCount <= Self.trackLimit else { throw .tooComplex }
        kept += try cleanTrack(box)
      case "udta", "meta": try MovieMetadata(draft: draft).clean(box)
      // Fragments and compressed indexes have no rules here.
      case "mvex", "cmov": throw .unsupported
      default: try draft.blank(box)
      }
    }
    return kept
  }

  private func cleanTrack(_ track: Box) throws(Uncleanable) -> [Range<Int>] {
    guard let media = try Boxes.all(in: track.payload).first(where: { $0.type == "mdia" }),
      let handler = try Boxes.all(in: media.payload).first(where: { $0.type == "hdlr" })
    else { throw .damaged }
    let kind = FourCC(try handler.payload.number(8, 4))
    guard ["vide", "soun", "auxv", "pict", "tmcd"].contains(kind) else {
      // Texts, GPS and sensors, whose samples go with all other unused bytes.
      try draft.blank(track)
      return []
    }
    for box in try Boxes.all(in: track.payload) {
      switch box.type {
      case "udta", "meta": try MovieMetadata(draft: draft).clean(box)
      case "mdia": try keep(Self.media, in: box)
      default: if !Self.track.contains(box.type) { try draft.blank(box) }
      }
    }
    guard let information = try Boxes.all(in: media.payload).first(where: { $0.type == "minf" }) else {
      throw .damaged
    }
    try keep(Self.information, in: information)
    let inside = try Boxes.all(in: information.payload)
    guard let table = inside.first(where: { $0.type == "stbl" }) else { throw .damaged }
    try keep(Self.table, in: table)
    if let reference = inside.first(where: { $0.type == "dinf" }) { try checkReferences(reference) }
    return try samples.clean(table, kind)
  }

  private func keep(_ types: Set<FourCC>, in parent: Box) throws(Uncleanable) {
    for box in try Boxes.all(in: parent.payload) where !types.contains(box.type) { try draft.blank(box) }
  }

  /// Refuses media data in other files.
  private func checkReferences(_ information: Box) throws(Uncleanable) {
    for references in try Boxes.all(in: information.payload) where references.type == "dref" {
      for reference in try Boxes.all(in: references.content(8)) {
        guard try reference.payload.number(0, 4) & 1 == 1 else { throw .unsupported }
      }
    }
  }
}
