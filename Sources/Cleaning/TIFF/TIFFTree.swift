/// The directories that allowed tags lead to, and the places of the others.
struct TIFFTree {
  enum Role { case main, images, interoperability }

  struct Directory {
    let role: Role
    let stored: TIFFReader.Directory
    /// The offset of the next picture's directory, or 0.
    let next: Int
    var entries: [TIFFReader.Entry] { stored.entries }
  }

  private let reader: TIFFReader
  private var visited: Set<Int> = []
  private(set) var directories: [Directory] = []
  /// The bytes of the location's directory and of its values.
  private(set) var location: [Range<Int>] = []

  init(_ reader: TIFFReader) { self.reader = reader }

  /// Reads all directories of a structure.
  mutating func collect(from first: Int, _ kind: TIFFCleaner.Kind, _ limit: Int) throws(Uncleanable) {
    var next = first
    while next != 0 {
      let offset = next
      let isFirst = directories.isEmpty
      let stored: TIFFReader.Directory
      do { stored = try visit(offset, limit, inChain: true) } catch {
        // EXIF's second directory has the thumbnail alone; a file's has a picture.
        guard kind == .exif, !isFirst else { throw error }
        return
      }
      next = stored.next ?? 0
      let isReadable = (try? reader.directory(at: next)) != nil && !visited.contains(next)
      if kind == .exif, !isReadable { next = 0 }
      directories.append(Directory(role: kind == .images ? .images : .main, stored: stored, next: next))
      if kind != .images { try collectBelow(stored, kind, limit) }
    }
  }

  /// Reads the directories that the entries of another one point to.
  private mutating func collectBelow(
    _ parent: TIFFReader.Directory, _ kind: TIFFCleaner.Kind, _ limit: Int
  ) throws(Uncleanable) {
    var waiting = [parent]
    while let directory = waiting.popLast() {
      for entry in directory.entries {
        switch entry.tag {
        case TIFFTag.exif, TIFFTag.interoperability: break
        // Only files have further pictures; EXIF has none.
        case TIFFTag.subdirectories where kind == .file: break
        case TIFFTag.location:
          try noteLocation(entry)
          continue
        default: continue
        }
        for offset in try reader.numbers(entry) {
          let stored = try visit(offset, limit)
          let isInteroperability = entry.tag == TIFFTag.interoperability
          directories.append(
            Directory(role: isInteroperability ? .interoperability : .main, stored: stored, next: 0))
          if !isInteroperability { waiting.append(stored) }
        }
      }
    }
  }

  private mutating func visit(
    _ offset: Int, _ limit: Int, inChain: Bool = false
  ) throws(Uncleanable) -> TIFFReader.Directory {
    guard visited.insert(offset).inserted else { throw .damaged }
    guard visited.count <= limit else { throw .tooComplex }
    return try reader.directory(at: offset, inChain: inChain)
  }

  private mutating func noteLocation(_ entry: TIFFReader.Entry) throws(Uncleanable) {
    for offset in try reader.numbers(entry).prefix(8) {
      guard let directory = try? reader.directory(at: offset) else { continue }
      location.append(offset..<(offset + directory.byteCount))
      location += directory.entries.filter(\.isRemote).map { $0.value..<($0.value + $0.valueBytes) }
    }
  }
}
