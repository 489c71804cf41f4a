/// The user data and metadata of a film or a track. Texts and keys of the allow list stay.
struct MovieMetadata {
  let draft: Draft

  /// Maker, model, software, date, format.
  private static let kept: Set<FourCC> = ["©mak", "©mod", "©swr", "©too", "©enc", "©day", "©fmt"]
  /// Texts that people write.
  private static let captions: Set<FourCC> = [
    "©nam", "©cmt", "©des", "©ART", "©aut", "©cpy", "©dir", "©key", "©inf", "titl", "dscp", "auth", "perf", "cprt",
    "desc",
    "name",
  ]
  private static let textLimitBytes = 1 << 20

  func clean(_ box: Box) throws(Uncleanable) {
    switch box.type {
    case "meta": try cleanMeta(box)
    default:
      for item in try userData(box) {
        if item.type == "meta" { try cleanMeta(item) } else { try cleanText(item) }
      }
    }
  }

  /// User data that is no list of boxes goes as a whole.
  private func userData(_ box: Box) throws(Uncleanable) -> [Box] {
    if let items = try? Boxes.all(in: box.payload) { return items }
    try draft.blank(box)
    return []
  }

  private func cleanText(_ item: Box) throws(Uncleanable) {
    if !(try isAllowed(item.type, item.payload)) { try draft.blank(item) }
  }

  private func isAllowed(_ type: FourCC, _ content: Window) throws(Uncleanable) -> Bool {
    if Self.kept.contains(type) { return true }
    return Self.captions.contains(type) ? try isAllowedCaption(content) : false
  }

  private func isAllowedCaption(_ content: Window) throws(Uncleanable) -> Bool {
    guard !draft.withheld.contains(.captions), content.count <= Self.textLimitBytes else { return false }
    return !PlaceHints.mayHoldPlace(try content.all())
  }

  /// Apple's list of items, with types or with named keys.
  private func cleanMeta(_ meta: Box) throws(Uncleanable) {
    // QuickTime's form has no version and flags.
    let isQuickTime = meta.payload.starts(with: "hdlr", at: 4)
    guard let boxes = try? Boxes.all(in: meta.content(isQuickTime ? 0 : 4)),
      boxes.count(where: { $0.type == "keys" }) <= 1
    else { return try draft.blank(meta) }
    var names: [String] = []
    for keys in boxes where keys.type == "keys" {
      for key in try Boxes.all(in: keys.content(8)) {
        names.append(String(decoding: try key.payload.bytes(0, min(key.payload.count, 256)), as: UTF8.self))
      }
    }
    for box in boxes {
      switch box.type {
      case "hdlr", "keys": break
      case "ilst": try cleanList(box, names)
      default: try draft.blank(box)
      }
    }
  }

  private func cleanList(_ list: Box, _ names: [String]) throws(Uncleanable) {
    var offset = 0
    // The type of a named item is a number, which no box has.
    while list.payload.count - offset >= 8 {
      let size = try list.payload.number(offset, 4)
      let type = FourCC(try list.payload.number(offset + 4, 4))
      let item = try list.payload.part(offset, size)
      guard size >= 8 else { throw .damaged }
      let content = try item.from(8)
      let isNamed = type.value > 0 && type.value <= names.count
      if !(try isNamed ? isAllowed(names[type.value - 1], content) : isAllowed(type, content)) {
        try draft.write(FourCC("free").bytes, at: item.start + 4)
        try draft.fill(content.range)
      }
      offset += size
    }
  }

  private static let apple = "com.apple.quicktime."
  private static let android = "com.android."
  private static let keptKeys: Set<String> = [
    "make", "model", "software", "creationdate", "content.identifier", "live-photo.auto", "live-photo.vitality-score",
    "live-photo.vitality-scoring-version", "camera.identifier", "camera.framereadouttimeinmicroseconds",
    "full-frame-rate-playback-intent", "version", "capture.fps", "manufacturer",
  ]
  private static let captionKeys: Set<String> = [
    "title", "displayname", "description", "comment", "author", "artist", "keywords", "copyright", "credits",
    "director", "producer", "publisher", "information",
  ]

  private func isAllowed(_ key: String, _ content: Window) throws(Uncleanable) -> Bool {
    guard let prefix = [Self.apple, Self.android].first(where: key.hasPrefix) else { return false }
    let name = String(key.dropFirst(prefix.count))
    if Self.keptKeys.contains(name) { return true }
    return Self.captionKeys.contains(name) ? try isAllowedCaption(content) : false
  }
}
