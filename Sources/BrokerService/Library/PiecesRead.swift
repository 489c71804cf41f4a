import Broker
import PhotoModel

/// Of which files a connection has read pieces, so that it is not given pieces of two files as if they were one.
struct PiecesRead {
  private struct File {
    let library: LibraryName
    let asset: AssetIdentifier
    let role: ResourceRole
    var contentVersion: String

    func isResource(_ other: File) -> Bool { library == other.library && asset == other.asset && role == other.role }
  }

  /// The last used is the last of the list.
  private var files: [File] = []
  /// So many are remembered; who reads more at a time begins to be told of none of them.
  private static let limit = 16

  /// Notes a piece that is about to be read.
  /// - Returns: false where it goes on with a file that is another one by now, whose beginning was not read since.
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
