/// The folder's content: names and their files.
struct FolderState {
  /// One file of one asset.
  struct File: Equatable, Sendable {
    var asset: String
    var role: String
    /// Never reused, not even for other bytes of the same photo. Open files are known by it.
    var serial: UInt64
    /// The same for one file of a photo at all times.
    var inode: UInt64
    /// In bytes.
    var size: Int64
    /// Microseconds since 1970.
    var modified: Int64
    /// The photo's own name, without a number.
    var original: String
  }

  private(set) var files: [String: File] = [:]
  private var namesByAsset: [String: [String]] = [:]
  private var filesBySerial: [UInt64: File] = [:]
  private var inodes: Set<UInt64> = []
  private var lastSerial: UInt64 = 0
  private var names: FolderNames

  init(_ names: FolderNames = FolderNames()) { self.names = names }

  var assets: Set<String> { Set(namesByAsset.keys) }
  func holds(_ serial: UInt64) -> Bool { filesBySerial[serial] != nil }
  /// The file with this serial number, while it is in the folder.
  func file(_ serial: UInt64) -> File? { filesBySerial[serial] }

  /// Names that files got since the last call, for the next start.
  mutating func takeNewNames() -> String { names.takeLines() }

  /// Adds an asset, or replaces its files.
  ///
  /// - Returns: The names whose content changed or that are gone.
  mutating func put(_ asset: String, modified: Int64, resources: [(role: String, name: String, size: Int64)])
    -> [String]
  {
    let before = namesByAsset[asset, default: []].compactMap { files[$0] }
    let isSame =
      before.count == resources.count
      && zip(before, resources).allSatisfy { old, new in
        old.role == new.role && old.size == new.size && old.modified == modified && old.original == new.name
      }
    guard !isSame else { return [] }
    let gone = remove(asset)
    var roles: [String: Int] = [:]
    for resource in resources {
      let key = FolderNames.key(asset: asset, role: resource.role, place: roles[resource.role, default: 0])
      roles[resource.role, default: 0] += 1
      guard let name = names.name(of: key, original: resource.name), files[name] == nil else { continue }
      lastSerial += 1
      let file = File(
        asset: asset, role: resource.role, serial: lastSerial, inode: freeInode(key), size: resource.size,
        modified: modified, original: resource.name)
      (files[name], filesBySerial[lastSerial]) = (file, file)
      inodes.insert(file.inode)
      namesByAsset[asset, default: []].append(name)
    }
    return gone
  }

  /// - Returns: The names that the asset had.
  mutating func remove(_ asset: String) -> [String] {
    let names = namesByAsset.removeValue(forKey: asset) ?? []
    for name in names {
      if let file = files.removeValue(forKey: name) {
        filesBySerial[file.serial] = nil
        inodes.remove(file.inode)
      }
    }
    return names
  }

  /// An inode number of 53 bits, which every language reads exactly. 0 means none, and 1 is the
  /// folder itself.
  private func freeInode(_ key: FolderNames.Key) -> UInt64 {
    var inode = max(2, key >> 11)
    while inodes.contains(inode) { inode += 1 }
    return inode
  }
}
