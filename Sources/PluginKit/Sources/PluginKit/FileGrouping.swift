public import PhotoModel

/// Groups the files of one folder into items, by name alone.
///
/// An item may hold a RAW file beside a JPEG or HEIC of its stem, an edited version
/// (`IMG_E0001.JPG`, `photo-edited.jpg`), XMP sidecars (`photo.jpg.xmp`, else `photo.xmp`) and a
/// `.THM` file. A video and a photo of one stem are two items: names prove no Live Photo.
public struct FileGrouping<File> {
  /// A photo or video and its other files, each with the caller's value for the file.
  public struct Item {
    public var name: String
    public var file: File
    public var others: [(name: String, role: ResourceRole, file: File)]
  }

  /// Most other files of an item; the broker refuses items of more than 16 files.
  private static var most: Int { 15 }

  private var items: [Item] = []
  private var byName: [ExactText: Int] = [:]
  private var byLowerName: [String: Int] = [:]
  /// The first photo of a stem, else its first video, owns `photo.xmp`.
  private var photoByStem: [String: Int] = [:]
  private var videoByStem: [String: Int] = [:]

  /// Groups the files of one folder. Files that belong to no photo or video are left out.
  public static func items(_ files: [(name: String, file: File)]) -> [Item] {
    var grouping = FileGrouping()
    grouping.group(files.sorted { $0.name < $1.name }.map { ($0.name, FileKind($0.name), $0.file) })
    return grouping.items
  }

  private mutating func group(_ files: [(name: String, kind: FileKind, file: File)]) {
    let photos = Set(files.filter { $0.kind == .photo }.map { Self.stem($0.name) })
    var edits: [(name: String, owner: String, file: File)] = []
    for (name, kind, file) in files {
      switch kind {
      case .photo:
        if let owner = Self.stemOfOriginal(name), photos.contains(owner) {
          edits.append((name, owner, file))
        } else {
          add(name, file, isVideo: false)
        }
      case .video: add(name, file, isVideo: true)
      case .raw, .sidecar, .thumbnail, .other: break
      }
    }
    for (name, owner, file) in edits {
      // A second edited version, and an edit of an edit, become items of their own.
      if let index = photoByStem[owner], !items[index].others.contains(where: { $0.role == .edited }) {
        items[index].others.append((name, .edited, file))
        byName[ExactText(name)] = index
        byLowerName[name.lowercased()] = index
      } else {
        add(name, file, isVideo: false)
      }
    }
    for (name, kind, file) in files where kind == .raw {
      if let index = photoByStem[Self.stem(name)], Self.hasRawBeside(items[index].name),
        items[index].others.count < Self.most / 2
      {
        items[index].others.append((name, .raw, file))
        byName[ExactText(name)] = index
        byLowerName[name.lowercased()] = index
      } else {
        add(name, file, isVideo: false)
      }
    }
    // XMP sidecars precede THM files, because readers take the first sidecar.
    for (name, kind, file) in files where kind == .sidecar {
      let stem = Self.stem(name)
      let owner = byName[ExactText(name.dropLast(4))] ?? byLowerName[stem] ?? photoByStem[stem] ?? videoByStem[stem]
      if let owner, items[owner].others.count < Self.most { items[owner].others.append((name, .sidecar, file)) }
    }
    for (name, kind, file) in files where kind == .thumbnail {
      if let owner = ownerOfThumbnail(Self.stem(name)), items[owner].others.count < Self.most {
        items[owner].others.append((name, .sidecar, file))
      }
    }
  }

  private mutating func add(_ name: String, _ file: File, isVideo: Bool) {
    let index = items.count
    items.append(Item(name: name, file: file, others: []))
    let stem = Self.stem(name)
    byName[ExactText(name)] = index
    if byLowerName[name.lowercased()] == nil { byLowerName[name.lowercased()] = index }
    if isVideo {
      if videoByStem[stem] == nil { videoByStem[stem] = index }
    } else if photoByStem[stem] == nil {
      photoByStem[stem] = index
    }
  }

  /// Cameras write THM files beside files without a preview: videos, RAW files and GIFs.
  private func ownerOfThumbnail(_ stem: String) -> Int? {
    if let video = videoByStem[stem] { return video }
    guard let index = photoByStem[stem] else { return nil }
    let item = items[index]
    return FileKind(item.name) == .raw || FileKind.ending(item.name) == "gif"
      || item.others.contains { $0.role == .raw } ? index : nil
  }

  private static func hasRawBeside(_ name: String) -> Bool {
    ["jpg", "jpeg", "jpe", "jfif", "heic", "heif", "hif"].contains(FileKind.ending(name))
  }

  /// The original's stem for the name of an edited version: `img_0001` for Apple's `IMG_E0001.JPG`,
  /// `photo` for Google's `photo-edited.jpg`.
  private static func stemOfOriginal(_ name: String) -> String? {
    let stem = stem(name)
    if stem.hasSuffix("-edited") { return String(stem.dropLast(7)) }
    let digits = stem.dropFirst(5)
    guard stem.hasPrefix("img_e"), digits.count == 4, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
      return nil
    }
    return "img_" + digits
  }

  /// The lower-case name without its extension.
  static func stem(_ name: String) -> String {
    let lower = name.lowercased()
    guard let dot = lower.lastIndex(of: "."), dot != lower.startIndex else { return lower }
    return String(lower[..<dot])
  }
}
