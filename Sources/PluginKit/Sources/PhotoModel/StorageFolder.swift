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
    guard isDeep else { return ExactText(StorageFolder(of: locator).path) == ExactText(path) }
    guard !path.isEmpty else { return true }
    guard locator.utf8.starts(with: path.utf8) else { return false }
    let rest = locator.utf8.dropFirst(path.utf8.count)
    return rest.isEmpty || rest.first == UInt8(ascii: "/")
  }

  /// By the bytes of their paths.
  public static func == (a: Self, b: Self) -> Bool { a.isDeep == b.isDeep && ExactText(a.path) == ExactText(b.path) }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ExactText(path))
    hasher.combine(isDeep)
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
