public import PhotoModel

/// Groups the files of one folder into items, by name alone.
///
/// An item may hold RAW files beside a JPEG or HEIC of its stem, an edited version
/// (`IMG_E0001.JPG`, `photo-edited.jpg` in Google's languages), XMP sidecars (`photo.jpg.xmp`, else
/// `photo.xmp`), a JSON sidecar of Google Takeout, and a `.THM` file. Pixel phones mark the parts of
/// a pair, `.RAW-01.COVER.jpg` and `.RAW-02.ORIGINAL.dng`. A video and a photo of one stem are two
/// items: names prove no Live Photo.
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
  /// The first photo of a stem without the marks of Pixel phones.
  private var photoByPlainStem: [String: Int] = [:]

  /// Groups the files of one folder. Files that belong to no photo or video are left out.
  /// - Parameter content: the kind by the first bytes of a file whose name tells none, or of a preview
  ///   without its photo or video.
  public static func items(
    _ files: [(name: String, file: File)], content: (String) -> FileKind = { _ in .other }
  ) -> [Item] {
    var grouping = FileGrouping()
    let files = files.sorted { $0.name < $1.name }.map { name, file in
      let kind = FileKind(name)
      return (name: name, kind: kind == .other ? content(name) : kind, file: file)
    }
    grouping.group(files, content)
    return grouping.items
  }

  private mutating func group(
    _ files: [(name: String, kind: FileKind, file: File)], _ content: (String) -> FileKind
  ) {
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
        join(name, .edited, file, to: index)
      } else {
        add(name, file, isVideo: false)
      }
    }
    for (name, kind, file) in files where kind == .raw {
      if let index = photoByStem[Self.stem(name)] ?? photoByPlainStem[Self.plainStem(name)],
        Self.hasRawBeside(items[index].name), items[index].others.count < Self.most / 2
      {
        join(name, .raw, file, to: index)
      } else {
        add(name, file, isVideo: false)
      }
    }
    // XMP sidecars precede others, because readers take the first sidecar.
    for (name, kind, file) in files where kind == .sidecar && !TakeoutNames.isSidecar(name) {
      let stem = Self.stem(name)
      let owner = byName[ExactText(name.dropLast(4))] ?? byLowerName[stem] ?? photoByStem[stem] ?? videoByStem[stem]
      addSidecar(name, file, to: owner)
    }
    let takeout = files.filter { $0.kind == .sidecar && TakeoutNames.isSidecar($0.name) }
    if !takeout.isEmpty {
      let names = TakeoutNames(items.enumerated().map { ($0, $1.name) })
      for (name, _, file) in takeout {
        let stem = Self.stem(name)
        addSidecar(name, file, to: byName[ExactText(name.dropLast(5))] ?? byLowerName[stem] ?? names.owner(of: name))
      }
    }
    for (name, kind, file) in files where kind == .thumbnail {
      if let owner = ownerOfThumbnail(Self.stem(name)) {
        addSidecar(name, file, to: owner)
      } else if content(name) == .photo {
        add(name, file, isVideo: false)
      }
    }
  }

  private mutating func join(_ name: String, _ role: ResourceRole, _ file: File, to index: Int) {
    items[index].others.append((name, role, file))
    byName[ExactText(name)] = index
    byLowerName[name.lowercased()] = index
  }

  /// Names that differ in case alone can make any number of sidecars. The first ones count.
  private mutating func addSidecar(_ name: String, _ file: File, to owner: Int?) {
    guard let owner, items[owner].others.count < Self.most else { return }
    items[owner].others.append((name, .sidecar, file))
  }

  private mutating func add(_ name: String, _ file: File, isVideo: Bool) {
    let index = items.count
    items.append(Item(name: name, file: file, others: []))
    let stem = Self.stem(name)
    byName[ExactText(name)] = index
    if byLowerName[name.lowercased()] == nil { byLowerName[name.lowercased()] = index }
    if isVideo {
      if videoByStem[stem] == nil { videoByStem[stem] = index }
    } else {
      if photoByStem[stem] == nil { photoByStem[stem] = index }
      let plain = Self.plainStem(name)
      if photoByPlainStem[plain] == nil { photoByPlainStem[plain] = index }
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
  /// `photo(1)` for Google's `photo-edited(1).jpg`.
  private static func stemOfOriginal(_ name: String) -> String? {
    let stem = stem(name)[...]
    if let original = stem.originalOfApplesEdit { return original }
    let edited = stem.withoutCounter ?? stem
    return edited.withoutEditMark.map { String($0 + stem.dropFirst(edited.count)) }
  }

  /// The stem without the marks that Pixel phones append: `.mp`, `.cover`, `.original`, `.raw-01`.
  private static func plainStem(_ name: String) -> String {
    var stem = stem(name)[...]
    while let dot = stem.lastIndex(of: ".") {
      let mark = stem[stem.index(after: dot)...]
      guard ["mp", "cover", "original"].contains(mark) || mark.hasPrefix("raw-") && Int(mark.dropFirst(4)) != nil
      else { break }
      stem = stem[..<dot]
    }
    return String(stem)
  }

  /// The lower-case name without its extension.
  static func stem(_ name: String) -> String {
    let lower = name.lowercased()
    guard let dot = lower.lastIndex(of: "."), dot != lower.startIndex else { return lower }
    return String(lower[..<dot])
  }
}
