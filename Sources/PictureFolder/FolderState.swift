/// The folder's content: names and their files.
struct FolderState {
  /// One file of one asset.
  struct File: Equatable, Sendable {
    var asset: String
    var role: String
    /// Never reused, not even for a file of the same name.
    var inode: UInt64
    /// In bytes.
    var size: Int64
    /// Microseconds since 1970.
    var modified: Int64
  }

  private(set) var files: [String: File] = [:]
  private var namesByAsset: [String: [String]] = [:]
  private var filesByInode: [UInt64: File] = [:]
  private var lastInode: UInt64 = 1

  var assets: Set<String> { Set(namesByAsset.keys) }
  func holds(_ inode: UInt64) -> Bool { filesByInode[inode] != nil }
  /// The file with this inode, while it is in the folder.
  func file(_ inode: UInt64) -> File? { filesByInode[inode] }

  /// Adds an asset, or replaces its files.
  ///
  /// - Returns: The names whose content changed or that are gone.
  mutating func put(_ asset: String, modified: Int64, resources: [(role: String, name: String, size: Int64)])
    -> [String]
  {
    let before = namesByAsset[asset, default: []].compactMap { name in files[name].map { (name, $0) } }
    let isSame =
      before.count == resources.count
      && zip(before, resources).allSatisfy { old, new in
        old.1.role == new.role && old.1.size == new.size && old.1.modified == modified
          && Self.stands(old.0, for: new.name)
      }
    guard !isSame else { return [] }
    let gone = remove(asset)
    for resource in resources {
      guard let name = freeName(resource.name) else { continue }
      lastInode += 1
      let file = File(asset: asset, role: resource.role, inode: lastInode, size: resource.size, modified: modified)
      (files[name], filesByInode[lastInode]) = (file, file)
      namesByAsset[asset, default: []].append(name)
    }
    return gone
  }

  /// - Returns: The names that the asset had.
  mutating func remove(_ asset: String) -> [String] {
    let names = namesByAsset.removeValue(forKey: asset) ?? []
    for name in names {
      if let file = files.removeValue(forKey: name) { filesByInode[file.inode] = nil }
    }
    return names
  }

  /// The name, with a number added if another file has it; nil if it is no valid file name.
  private func freeName(_ name: String) -> String? {
    guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(0x2f), !name.utf8.contains(0),
      name.utf8.count <= 255
    else {
      return nil
    }
    guard files[name] != nil else { return name }
    let (stem, ending) = Self.parts(name)
    return (2...10_000).lazy.map { "\(stem) (\($0))\(ending)" }.first { files[$0] == nil && $0.utf8.count <= 255 }
  }

  /// Whether a name in the folder is the original name, perhaps with a number.
  private static func stands(_ name: String, for original: String) -> Bool {
    guard name != original else { return true }
    let (stem, ending) = parts(original)
    guard name.hasPrefix(stem + " ("), name.hasSuffix(")" + ending) else { return false }
    return name.dropFirst(stem.count + 2).dropLast(ending.count + 1).allSatisfy(\.isNumber)
  }

  private static func parts(_ name: String) -> (stem: Substring, ending: Substring) {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name[...], "") }
    return (name[..<dot], name[dot...])
  }
}
