import Glibc

/// Lists folders.
package enum FolderListing {
  /// The names in a folder without "." and ".."; nil, with `errno`, if it cannot be opened. Bytes that are
  /// not UTF-8 are replaced.
  package static func names(in folder: String, withLinks: Bool = true) -> [String]? {
    guard let stream = opendir(folder) else { return nil }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      guard withLinks || entry.pointee.d_type != UInt8(DT_LNK) else { continue }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
