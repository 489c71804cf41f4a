import PhotoModel
import PluginKit

/// A scan of the remote folder, in pages, while rclone still prints. Its memory use depends on the
/// largest folder, not on the number of files.
final class Listing {
  static let pageSize = 2_000
  /// Maximum length of a line: a path of 4,096 bytes, escaped.
  private static let lineBytes = 65_536

  private static let foreign = PluginError(
    .offline,
    "The remote answered with a web page, not with a list of files. Open its address in a browser to see why."
  )

  static let folderMissing = PluginError(
    .offline, "The remote's folder does not exist. Make it, or correct option \"remote\".")

  private let process: RcloneProcess
  private let kinds: ContentKinds
  private let logsOwnPaths: Bool
  private var unread: [UInt8] = []
  /// Files of the current folder. rclone prints each folder in one piece.
  private var folder = ""
  private var files: [(name: String, file: ListedFile)] = []
  private var ready: [StorageItem] = []
  private var leftOut: [LeftOutFile] = []
  /// Number of lines without a path.
  private var skipped = 0
  /// Folders of files with incomplete facts.
  private var lost: Set<ExactText> = []
  private var isOver = false
  private(set) var page = 0

  /// - Parameters:
  ///   - process: a run with a log.
  ///   - logsOwnPaths: whether log and listing use the same paths.
  init(_ process: RcloneProcess, _ kinds: ContentKinds, logsOwnPaths: Bool) {
    self.process = process
    self.kinds = kinds
    self.logsOwnPaths = logsOwnPaths
  }

  /// Returns the next page; its `next` is nil after the last one.
  /// - Throws: `offline` if rclone fails, even after complete pages. No asset may count as deleted
  ///   then.
  func nextPage() throws(PluginError) -> ItemPage {
    while ready.count + leftOut.count < Self.pageSize, !isOver {
      guard let piece = try process.readPiece() else {
        take(line: unread[...])
        finishFolder()
        try process.finish(absence: Self.folderMissing)
        guard !(process.log?.hasForeignAnswer ?? false) else { throw Self.foreign }
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
      guard unread.count <= Self.lineBytes else {
        throw PluginError(.failed, "rclone printed a line that is too long. Run rclone lsjson to see it.")
      }
    }
    page += 1
    let items = Array(ready.prefix(Self.pageSize))
    ready.removeFirst(items.count)
    let others = Array(leftOut.prefix(Self.pageSize - items.count))
    leftOut.removeFirst(others.count)
    defer { skipped = 0 }
    let isLast = isOver && ready.isEmpty && leftOut.isEmpty
    return ItemPage(
      items: items, skipped: skipped, next: isLast ? nil : String(page), unreadable: isLast ? unreadable : [],
      leftOut: others)
  }

  /// Assets in these folders stay known although the listing lacks them.
  private var unreadable: [String] {
    let logged = process.log?.lost ?? []
    let all = lost.union(logsOwnPaths || logged.isEmpty ? logged : [ExactText("")])
    return all.count <= StorageFolder.listLimit ? all.map(\.text).sorted() : [""]
  }

  private func take(line: ArraySlice<UInt8>) {
    guard line.contains(UInt8(ascii: "{")) else { return }
    guard let file = ListedFile(line: line), RemotePath.isLocator(file.path) else {
      guard let path = ListedFile.path(line: line) else {
        skipped += 1
        return
      }
      guard kinds.isMedia(path) else { return }
      let isLocator = RemotePath.isLocator(path)
      leftOut.append(
        LeftOutFile(
          path: isLocator ? path : LeftOutFile.escaped(path.utf8), cause: isLocator ? .facts : .name))
      // A plain HTTP server may omit a file's size once and send it the next time.
      if isLocator { lost.insert(ExactText(StorageFolder(of: path).path)) }
      return
    }
    if ExactText(file.folder) != ExactText(folder) { finishFolder() }
    folder = file.folder
    files.append((file.name, file))
  }

  private func finishFolder() {
    kinds.read(files.map(\.file).filter { FileKind($0.name) == .other })
    files.removeAll { kinds.kind(of: $0.file) == .other }
    let names = Set(files.map { ExactText($0.name) })
    files.removeAll { name, file in
      let isUnread = kinds.kind(of: file) == nil
      guard isUnread || FileKind.isBackup(name, beside: names) else { return false }
      leftOut.append(LeftOutFile(path: file.path, cause: isUnread ? .facts : .backup))
      return true
    }
    let listed = Dictionary(files.map { (ExactText($0.name), $0.file) }) { first, _ in first }
    let groups = FileGrouping.items(files) { name in
      guard let file = listed[ExactText(name)] else { return .other }
      kinds.read([file])
      if kinds.content(of: file) == nil { leftOut.append(LeftOutFile(path: file.path, cause: .facts)) }
      return kinds.content(of: file) ?? .other
    }
    for group in groups {
      ready.append(StorageItem(primary: group.file.file(.original), others: group.others.map { $0.file.file($0.role) }))
    }
    files.removeAll(keepingCapacity: true)
  }
}
