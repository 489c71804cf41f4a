import PhotoModel

/// Which files of one folder are one item, by their names: a raw file beside a JPEG or HEIC of the same stem, and XMP
/// sidecars (`photo.jpg.xmp`, else `photo.xmp`). A video is always an item of its own.
enum Grouping {
  struct Item<File> {
    var primary: String
    var file: File
    var others: [(name: String, role: ResourceRole, file: File)]
  }

  static func items<File>(_ files: [(name: String, file: File)]) -> [Item<File>] {
    var items: [Item<File>] = []
    var byName: [String: Int] = [:]
    var byStem: [String: Int] = [:]
    var raws: [(name: String, file: File)] = []
    let sorted = files.sorted { $0.name < $1.name }
    for (name, file) in sorted {
      switch FileKind(name) {
      case .photo, .video:
        byName[name.lowercased()] = items.count
        // Of several photos of one stem the first one gets the raw file and the sidecar.
        let stem = stem(name)
        if FileKind(name) == .photo, byStem[stem] == nil { byStem[stem] = items.count }
        items.append(Item(primary: name, file: file, others: []))
      case .raw: raws.append((name, file))
      case .sidecar, .other: break
      }
    }
    for (name, file) in raws {
      if let index = byStem[stem(name)], isStill(items[index].primary) {
        items[index].others.append((name, .raw, file))
      } else {
        byName[name.lowercased()] = items.count
        byStem[stem(name)] = items.count
        items.append(Item(primary: name, file: file, others: []))
      }
    }
    for (name, file) in sorted where FileKind(name) == .sidecar {
      let owner = byName[stem(name)] ?? byStem[stem(name)]
      if let owner { items[owner].others.append((name, .sidecar, file)) }
    }
    return items
  }

  /// Photos that a camera writes beside a raw file.
  private static func isStill(_ name: String) -> Bool {
    ["jpg", "jpeg", "heic", "heif"].contains(FileKind.ending(name))
  }

  /// The name without its last ending, in lower case.
  static func stem(_ name: String) -> String {
    let lower = name.lowercased()
    guard let dot = lower.lastIndex(of: "."), dot != lower.startIndex else { return lower }
    return String(lower[..<dot])
  }
}

/// What a file is, by its ending; what is in it is for the broker's media worker to find out.
enum FileKind: Equatable {
  case photo, raw, video, sidecar, other

  private static let endings: [String: FileKind] = {
    var table: [String: FileKind] = ["xmp": .sidecar]
    for ending in ["jpg", "jpeg", "jpe", "heic", "heif", "hif", "png", "webp", "avif", "tif", "tiff", "gif"] { table[ending] = .photo }
    for ending in [
      "crw", "cr2", "cr3", "nef", "nrw", "arw", "srf", "sr2", "dng", "raf", "orf", "rw2", "pef", "srw", "x3f", "iiq", "3fr", "erf",
      "kdc", "dcr", "mrw", "raw", "rwl", "mef", "mos", "gpr",
    ] { table[ending] = .raw }
    for ending in ["mov", "mp4", "m4v", "avi", "mkv", "webm", "3gp", "3g2", "mts", "m2ts", "mpg", "mpeg", "wmv"] { table[ending] = .video }
    return table
  }()

  init(_ name: String) { self = Self.endings[Self.ending(name)] ?? .other }

  static func ending(_ name: String) -> String {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }
}
