/// A folder of a storage backend, by the beginning of the locators that lie in it.
public struct StorageFolder: Sendable, Hashable {
  /// So many are named at most; where there are more the whole storage is meant.
  public static let listLimit = 256

  /// Without a slash at its end; empty for the whole storage.
  public var path: String
  /// Whether everything below it is meant too, or only the files directly in it.
  public var isDeep: Bool

  public init(path: String, isDeep: Bool) {
    self.path = path
    self.isDeep = isDeep
  }

  /// The folder that a file lies in, alone.
  public init(of locator: String) {
    path = locator.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(locator[..<$0]) } ?? ""
    isDeep = false
  }

  public func contains(_ locator: String) -> Bool {
    if isDeep {
      return path.isEmpty || locator == path || (locator.hasPrefix(path) && locator.utf8.dropFirst(path.utf8.count).first == 0x2f)
    }
    return StorageFolder(of: locator).path == path
  }

  /// The same files, named with as few folders as possible, in order.
  public static func reduced(_ folders: some Sequence<StorageFolder>) -> [StorageFolder] {
    var found: [StorageFolder] = []
    for folder in folders.sorted(by: { ($0.path, $0.isDeep ? 0 : 1) < ($1.path, $1.isDeep ? 0 : 1) }) {
      guard !found.contains(where: { $0 == folder || ($0.isDeep && $0.contains(folder.path)) }) else { continue }
      found.append(folder)
    }
    return found
  }
}
