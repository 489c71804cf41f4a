/// The names that files got, so that a photo keeps its own whatever is selected before or after it.
///
/// It holds digests only: a photo that is not selected any more leaves no name on the disk.
struct FolderNames {
  /// The digest of an asset's file, from which its inode number comes too.
  typealias Key = UInt64

  /// The digest of each file's name, and the file that has each name.
  private var names: [Key: UInt64] = [:]
  private var holders: [UInt64: Key] = [:]
  /// Names given since the last ``takeLines()``.
  private var fresh: [String] = []

  /// - Parameter place: The number of the asset's files of that role before this one.
  static func key(asset: String, role: String, place: Int) -> Key { digest("\(asset) \(role) \(place)") }

  init() {}

  /// Restores the names from ``takeLines()``, oldest first. Damaged lines are ignored.
  init(lines: some Sequence<Substring>) {
    for line in lines {
      let words = line.split(separator: " ").compactMap { UInt64($0, radix: 16) }
      if words.count == 2 { note(words[0], named: words[1]) }
    }
  }

  /// The file's earlier name if it fits, else the first one that no other file ever had; nil if the
  /// original name is no valid file name.
  mutating func name(of key: Key, original: String) -> String? {
    guard !original.isEmpty, original != ".", original != "..", !original.utf8.contains(0x2f),
      !original.utf8.contains(0), original.utf8.count <= Self.longest
    else { return nil }
    let candidates = (1...10_000).lazy.map { (Self.numbered(original, $0)) }
    if let former = names[key], let name = candidates.first(where: { Self.digest($0) == former }) { return name }
    guard let name = candidates.first(where: { holders[Self.digest($0), default: key] == key }) else { return nil }
    let digest = Self.digest(name)
    note(key, named: digest)
    fresh.append(Self.line(key, digest))
    return name
  }

  private mutating func note(_ key: Key, named digest: UInt64) {
    guard holders[digest, default: key] == key else { return }
    if let former = names[key] { holders[former] = nil }
    (names[key], holders[digest]) = (digest, key)
  }

  /// The new lines for the file, each with its line break.
  mutating func takeLines() -> String {
    defer { fresh = [] }
    return fresh.joined()
  }

  private static func line(_ key: Key, _ digest: UInt64) -> String {
    String(key, radix: 16) + " " + String(digest, radix: 16) + "\n"
  }

  private static let longest = 255

  /// The name with a number before its ending, shortened where it would become too long.
  private static func numbered(_ name: String, _ number: Int) -> String {
    guard number > 1 else { return name }
    let dot = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 } ?? name.endIndex
    let tail = " (\(number))" + name[dot...]
    var stem = name[..<dot]
    while stem.utf8.count + tail.utf8.count > longest, !stem.isEmpty { stem.removeLast() }
    return stem + tail
  }

  /// FNV-1a, 64 bits: tells names apart, without any security.
  private static func digest(_ text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
