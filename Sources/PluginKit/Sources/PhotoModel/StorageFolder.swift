/// A folder of a storage, named by the common prefix of its locators.
public struct StorageFolder: Sendable, Hashable {
  /// Maximum number of folders in a list. More stand for the whole storage.
  public static let listLimit = 256

  /// The path without a trailing slash; empty for the whole storage.
  public var path: String
  /// Whether all subfolders are included. Otherwise the folder stands for the files directly in it.
  public var isDeep: Bool

  public init(path: String, isDeep: Bool) {
    self.path = path
    self.isDeep = isDeep
  }

  /// Creates the folder of a file, without subfolders.
  public init(of locator: String) {
    path = locator.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(locator[..<$0]) } ?? ""
    isDeep = false
  }

  public func contains(_ locator: String) -> Bool {
    guard isDeep else { return ExactText(StorageFolder(of: locator).path) == ExactText(path) }
    guard !path.isEmpty else { return true }
    guard locator.utf8.starts(with: path.utf8) else { return false }
    let rest = locator.utf8.dropFirst(path.utf8.count)
    return rest.isEmpty || rest.first == UInt8(ascii: "/")
  }

  /// Compares paths by their bytes.
  public static func == (a: Self, b: Self) -> Bool { a.isDeep == b.isDeep && ExactText(a.path) == ExactText(b.path) }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ExactText(path))
    hasher.combine(isDeep)
  }

  /// Returns the smallest sorted list of folders with the same files.
  public static func reduced(_ folders: some Sequence<StorageFolder>) -> [StorageFolder] {
    var found: [StorageFolder] = []
    for folder in folders.sorted(by: { ($0.path, $0.isDeep ? 0 : 1) < ($1.path, $1.isDeep ? 0 : 1) }) {
      guard !found.contains(where: { $0 == folder || ($0.isDeep && $0.contains(folder.path)) }) else { continue }
      found.append(folder)
    }
    return found
  }
}
