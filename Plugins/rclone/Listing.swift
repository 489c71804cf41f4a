import PhotoModel
import PluginKit

/// One look at everything below the remote's folder, in pages, while rclone is still listing: a million files cost no more
/// memory than a folder does.
final class Listing {
  static let pageSize = 2_000
  /// What one line may be: a path of 4,096 bytes, escaped.
  private static let lineBytes = 65_536

  private let process: RcloneProcess
  private var unread: [UInt8] = []
  /// Files of the folder that is being listed: rclone prints a folder in one piece.
  private var folder = ""
  private var files: [(name: String, file: ListedFile)] = []
  private var ready: [StorageItem] = []
  private var skipped = 0
  private var isOver = false
  private(set) var page = 0

  init(_ process: RcloneProcess) { self.process = process }

  /// The next page; nil as `next` where it was the last one.
  /// - Throws: `offline` where rclone fails, also after pages that were whole: nothing may be taken for gone then.
  func nextPage() throws(PluginError) -> ItemPage {
    while ready.count < Self.pageSize, !isOver {
      guard let piece = try process.readPiece() else {
        take(line: unread[...])
        finishFolder()
        try process.finish(absence: PluginError(.offline, "The remote's folder is not there."))
        isOver = true
        break
      }
      unread += piece
      var start = unread.startIndex
      while let end = unread[start...].firstIndex(of: 0x0a) {
        take(line: unread[start..<end])
        start = end + 1
      }
      unread.removeSubrange(..<start)
      guard unread.count <= Self.lineBytes else { throw PluginError(.failed, "rclone prints a line without an end.") }
    }
    page += 1
    let items = Array(ready.prefix(Self.pageSize))
    ready.removeFirst(items.count)
    defer { skipped = 0 }
    return ItemPage(items: items, skipped: skipped, next: isOver && ready.isEmpty ? nil : String(page))
  }

  private func take(line: ArraySlice<UInt8>) {
    guard line.contains(UInt8(ascii: "{")) else { return }
    guard let file = ListedFile(line: line), RemotePath.isLocator(file.path) else {
      skipped += 1
      return
    }
    if ExactText(file.folder) != ExactText(folder) { finishFolder() }
    folder = file.folder
    files.append((file.name, file))
  }

  private func finishFolder() {
    for group in FileGrouping.items(files) {
      ready.append(StorageItem(primary: group.file.file(.original), others: group.others.map { $0.file.file($0.role) }))
    }
    files.removeAll(keepingCapacity: true)
  }
}
