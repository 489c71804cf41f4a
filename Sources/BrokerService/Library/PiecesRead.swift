import Broker
import PhotoModel

/// The files of which a connection read pieces. It keeps pieces of two versions from being taken
/// for one file.
struct PiecesRead {
  private struct File {
    let library: LibraryName
    let asset: AssetIdentifier
    let role: ResourceRole
    var contentVersion: String

    func isResource(_ other: File) -> Bool { library == other.library && asset == other.asset && role == other.role }
  }

  /// Most recently used last.
  private var files: [File] = []
  /// Number of remembered files. A replaced file is not detected for an app that reads more at a
  /// time.
  private static let limit = 16

  /// Notes a piece that is about to be read.
  /// - Returns: False if the file was replaced since its beginning was read.
  mutating func note(_ resource: ResourceRecord, of asset: AssetIdentifier, in library: LibraryName, at offset: Int64)
    -> Bool
  {
    let file = File(library: library, asset: asset, role: resource.role, contentVersion: resource.contentVersion)
    if let index = files.firstIndex(where: file.isResource) {
      let known = files[index]
      guard offset == 0 || ExactText(known.contentVersion) == ExactText(file.contentVersion) else { return false }
      files.remove(at: index)
    }
    files.append(file)
    if files.count > Self.limit { files.removeFirst() }
    return true
  }
}
