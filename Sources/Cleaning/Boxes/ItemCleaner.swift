/// The items of a HEIC or AVIF file. EXIF and XMP are cleaned; pictures stay; other items become
/// zeros.
struct ItemCleaner {
  let file: Window
  let media: [Range<Int>]
  /// The samples of a film in the same file: ascending, disjoint.
  let samples: [Range<Int>]
  let draft: Draft
  let depth: Int

  private static let kept: Set<FourCC> = ["hdlr", "pitm", "iinf", "iloc", "iref", "iprp", "idat", "dinf", "grpl"]
  /// Coded pictures, and their combinations.
  private static let pictures: Set<FourCC> = [
    "hvc1", "av01", "avc1", "jpeg", "grid", "iden", "iovl", "tmap", "lhv1", "hvt1", "unci",
  ]

  /// Settings of codecs, size, shape, colour, layers, dates and the kind of an auxiliary picture.
  private static let properties: Set<FourCC> = [
    "ispe", "pixi", "colr", "pasp", "clap", "irot", "imir", "iscl", "rloc", "hvcC", "lhvC", "avcC", "av1C", "jpgC",
    "vvcC", "cmpd", "uncC", "auxC", "lsel", "tols", "oinf", "a1op", "a1lx", "clli", "mdcv", "cclv", "amve", "rref",
    "cmin", "cmex", "crtt", "mdft",
  ]

  /// - Returns: The ranges of the media data that stay.
  func clean(_ meta: Box) throws(Uncleanable) -> [Range<Int>] {
    let boxes = try Boxes.all(in: meta.content(4))
    for box in boxes where !Self.kept.contains(box.type) { try draft.blank(box) }
    func only(_ type: FourCC) throws(Uncleanable) -> Box? {
      let found = boxes.filter { $0.type == type }
      guard found.count <= 1 else { throw .damaged }
      return found.first
    }
    if let properties = try only("iprp") { try cleanProperties(properties) }
    // A film's metadata may have no items.
    guard let information = try only("iinf"), let locations = try only("iloc") else { return [] }
    let types = try ItemList.types(information)
    let inside = try only("idat")?.payload
    var kept: [Range<Int>] = []
    for item in try ItemList.locations(locations, file: file, inside: inside) {
      guard let type = types[item.identifier] else { throw .damaged }
      for part in item.extents { try file.input.claim(part.count) }
      if try isKept(item, type) { kept += item.extents.map(\.range) }
    }
    let ranges = Ranges.merged(kept)
    if let inside { try draft.fillGaps(in: inside.range, keeping: ranges) }
    // Items outside the media data would share bytes with boxes.
    let homes = Ranges.merged(media + (inside.map { [$0.range] } ?? []))
    guard ranges.allSatisfy({ Ranges.contain(homes, $0) }) else { throw .unsupported }
    return ranges
  }

  private func isKept(_ item: ItemList.Item, _ type: ItemList.ItemType) throws(Uncleanable) -> Bool {
    if Self.pictures.contains(type.type) {
      for part in item.extents {
        if type.type == "jpeg" {
          guard item.extents.count == 1 else { throw .unsupported }
          let end = try JPEGCleaner(image: part, draft: draft, depth: depth + 1).clean()
          try draft.fill((part.start + end)..<(part.start + part.count))
        } else {
          try draft.protect(part.range)
        }
      }
      return true
    }
    guard item.extents.count == 1, let content = item.extents.first else { return false }
    guard !Ranges.overlap(samples, [content.range]) else { throw .overlap }
    let isClean: Void? =
      switch type.type {
      case "Exif": draft.attempt { () throws(Uncleanable) in try cleanExif(content) }
      case "mime" where type.content == "application/rdf+xml":
        draft.attempt { () throws(Uncleanable) in try XMPCleaner(packet: content, draft: draft).clean() }
      default: nil
      }
    return isClean != nil
  }

  /// The first four bytes tell the count of those between them and EXIF's header.
  private func cleanExif(_ content: Window) throws(Uncleanable) {
    let skipped = try content.number(0, 4)
    let prefix = try content.part(4, skipped)
    if !prefix.starts(with: "Exif\0\0") || prefix.count != 6 { try draft.fill(prefix.range) }
    // Some programs do not count the name in between.
    let uncounted = content.starts(with: "Exif\0\0", at: 4 + skipped) ? 6 : 0
    let data = try content.from(4 + skipped + uncounted)
    try TIFFCleaner(data: data, draft: draft, kind: .exif, depth: depth + 1).clean()
  }

  /// Properties are found by their position, so that a removed one stays as free space.
  private func cleanProperties(_ properties: Box) throws(Uncleanable) {
    for list in try Boxes.all(in: properties.payload) where list.type != "ipma" {
      guard list.type == "ipco" else {
        try draft.blank(list)
        continue
      }
      for property in try Boxes.all(in: list.payload) where !Self.properties.contains(property.type) {
        try draft.blank(property)
      }
    }
  }
}
