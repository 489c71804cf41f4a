import Glibc
public import PhotoModel
public import PluginKit

/// A storage of the photos in a local folder. It never writes to files, and moves them only into
/// the trash and back.
public final class DirectoryStorage: StorageBackend {
  public static let options: [PluginOption] = [
    PluginOption("path", .path, summary: "The folder with the photos."),
    PluginOption(
      "addFolder", .text, default: "PhotoBroker",
      summary: "Folder below path for added files. It is made when it is needed."),
    PluginOption(
      "rescanSeconds", .integer(2...86_400), unit: "seconds", default: "60",
      summary: "Time between scans of a folder that cannot be watched."),
    PluginOption(
      "oneFileSystem", .flag, default: "true",
      summary: "Leaves out folders that are mounts of other file systems."),
    NamePatterns.bins,
    PluginOption(
      "ignore", .text, optional: true,
      summary: "Further names of files and folders to leave out: patterns with *, ? and [...], separated by commas."),
  ]

  static let pageSize = 2_000

  private let path: String
  private let identity: FolderIdentity?
  private let addFolder: RelativePath
  /// Name of the owner's subfolder, if libraries of several owners may share the served folder.
  private let ownFolder: String?
  private let rescan: Duration
  private let settings: WalkSettings
  private var walk: Walk?
  private let watchLimit: Int
  private var watching = Watching.notYet
  private var changed: [StorageFolder]?
  /// Time of another full scan after a queue overflow. The owner sees a notice until then.
  private var lookAfterOverflow: ContinuousClock.Instant?

  /// The way in which changes are found.
  private enum Watching {
    case notYet
    case live(Watcher)
    /// Rescans at intervals; the owner sees the reason.
    case timed(reason: String, next: ContinuousClock.Instant)
  }

  public convenience init(options: PluginOptions) throws(PluginError) {
    try self.init(options: options, watchLimit: .max)
  }

  /// - Parameter watchLimit: the maximum number of watched folders. With more the storage rescans.
  init(options: PluginOptions, watchLimit: Int) throws(PluginError) {
    path = options["path"] ?? ""
    identity = options.folder("path")
    rescan = .seconds(options.integer("rescanSeconds") ?? 60)
    settings = WalkSettings(
      oneFileSystem: options.flag("oneFileSystem"),
      bins: NamePatterns(options["bins"] ?? ""), ignored: NamePatterns(options["ignore"] ?? ""))
    self.watchLimit = watchLimit
    guard path.hasPrefix("/") else { throw PluginError(.invalidOption, "Option \"path\" must be an absolute path.") }
    let folder = try? RelativePath(options["addFolder"] ?? "PhotoBroker")
    guard let folder, !folder.components.isEmpty, !folder.components.contains(where: { $0.hasPrefix(".") }) else {
      throw PluginError(
        .invalidOption, "Option \"addFolder\" must be a relative path without \"..\" and hidden folders.")
    }
    if let name = folder.components.first(where: settings.ignores) {
      throw PluginError(
        .invalidOption,
        """
        Option "ignore" or "bins" matches "\(name)" of option "addFolder", so added files would not be listed. Change \
        one of them.
        """
      )
    }
    ownFolder = options.owner.map { SavedFolder.name(of: $0) }
    addFolder = if let ownFolder { try RelativePath(folder.text + "/" + ownFolder) } else { folder }
  }

  /// The served folder. All other files are out of reach.
  private func served() throws(PluginError) -> Folder { try Folder(path: path, identity: identity) }

  public func facts() throws(PluginError) -> StorageFacts {
    let root = try served()
    var reason = Watcher.obstacle(root)
    if case .timed(let known, _) = watching { reason = known }
    let seconds = rescan.components.seconds
    let overflow = lookAfterOverflow.map { _ in
      """
      Too many changes at once (fs.inotify.max_queued_events); all files are scanned, and again after \(seconds) \
      seconds
      """
    }
    // The trash lies below the served folder, so its own permissions decide about deletions.
    let (adds, deletes) = (folderForAdding(root).isWritable, root.isWritable)
    return StorageFacts(
      root: path, changeDetection: reason == nil ? .watch : .rescan, isReadOnly: !adds && !deletes,
      notice: reason.map { "\($0); it is scanned every \(seconds) seconds" } ?? overflow,
      ignoredNames: settings.bins.patterns + settings.ignored.patterns, takesAdditions: adds, takesDeletions: deletes)
  }

  /// The deepest existing folder on the path for added files. It may be writable even if the served
  /// folder is not: its owner made it for apps.
  private func folderForAdding(_ root: Folder) -> Folder {
    var deepest = root
    for name in addFolder.components {
      guard let next = try? deepest.child(name) else { break }
      deepest = next
    }
    return deepest
  }

  /// All pages belong to one scan, made for the first page. Later changes are found by the next
  /// scan.
  public func enumerate(page: String?) throws(PluginError) -> ItemPage { try enumerate(only: nil, page: page) }

  public func enumerate(folders: [StorageFolder], page: String?) throws(PluginError) -> ItemPage {
    try enumerate(only: folders, page: page)
  }

  private func enumerate(only folders: [StorageFolder]?, page: String?) throws(PluginError) -> ItemPage {
    if page == nil {
      let (fresh, root) = (Walk(settings), try served())
      if folders == nil, let added = try? root.folderIfPresent(addFolder) { AddedFile.sweep(added) }
      try fresh.look(root, only: folders)
      walk = fresh
    }
    let start = page.map { Int($0) ?? -1 } ?? 0
    let count = walk.map { $0.items.count + $0.leftOut.count } ?? 0
    guard let walk, start >= 0, start <= count else {
      throw PluginError(.failed, "This page of the list has expired. Start with the first page.")
    }
    // The files that are left out follow the items.
    let end = min(start + Self.pageSize, count)
    let isLast = end == count
    let items = walk.items.dropFirst(start).prefix(end - start)
    let leftOut = walk.leftOut.dropFirst(max(0, start - walk.items.count)).prefix(end - start - items.count)
    let result = ItemPage(
      items: Array(items), skipped: 0, next: isLast ? nil : String(end),
      unreadable: start == 0 ? walk.unreadable : [], volumes: start == 0 ? walk.volumes : [], leftOut: Array(leftOut))
    if isLast { self.walk = nil }
    return result
  }

  public func waitForChanges(milliseconds: Int) throws(PluginError) -> Bool {
    let timeout = max(0, min(milliseconds, 60_000))
    changed = nil
    switch watching {
    case .notYet:
      try startWatching()
      return true
    case .live(let watcher):
      if let time = lookAfterOverflow, ContinuousClock.now >= time {
        lookAfterOverflow = nil
        return true
      }
      switch watcher.wait(milliseconds: timeout) {
      case .nothing: return false
      case .broken: watching = .notYet
      case .overflowed:
        watching = .notYet
        lookAfterOverflow = .now + rescan
      case .changed(let folders): changed = folders.count <= StorageFolder.listLimit ? folders : nil
      }
      return true
    case .timed(_, let next):
      let now = ContinuousClock.now
      let left = min(.milliseconds(timeout), max(.zero, next - now))
      usleep(UInt32(clamping: left.components.seconds * 1_000_000 + left.components.attoseconds / 1_000_000_000_000))
      guard ContinuousClock.now >= next else { return false }
      // Watches may have become free, and another disk may be mounted.
      try startWatching()
      return true
    }
  }

  public func changedFolders() -> [StorageFolder]? { changed }

  private func startWatching() throws(PluginError) {
    do throws(Watcher.Obstacle) {
      watching = .live(try Watcher(root: path, identity: identity, settings: settings, limit: watchLimit))
    } catch {
      switch error {
      case .absent: throw PluginError(.offline, "The folder is missing. Create it or mount it.")
      case .reason(let reason): watching = .timed(reason: reason, next: .now + rescan)
      }
    }
  }

  // MARK: Changes that the broker makes

  public func add(name: String, contents: Int32, size: Int64) throws(PluginError) -> StorageItem {
    try item(at: AddedFile.write(contents, size: size, name: name, into: served().makeFolders(addFolder), settings))
  }

  public func stage(contents: Int32, size: Int64) throws(PluginError) -> StagedFile {
    let folder = try served().makeFolders(addFolder)
    guard folder.hasLastingInodes else {
      throw PluginError(.unsupported, "Files cannot be staged: this file system gives them no lasting identity.")
    }
    let name = try AddedFile.stage(contents, size: size, in: folder)
    guard case .success(let facts) = folder.look(name),
      let hint = ItemFile(facts, name: name, in: folder, at: "", role: .original).identityHint
    else { throw Folder.failure(ENOENT, "A staged file is missing") }
    return StagedFile(name: name, identityHint: hint)
  }

  public func publish(_ file: String, name: String) throws(PluginError) -> StorageItem {
    guard let folder = try served().folderIfPresent(addFolder) else {
      throw PluginError(.notFound, "There is no such staged file. Stage it again.")
    }
    return try item(at: AddedFile.publish(file, as: name, in: folder, settings))
  }

  public func discard(_ file: String) throws(PluginError) {
    guard let folder = try served().folderIfPresent(addFolder) else { return }
    try AddedFile.discard(file, in: folder)
  }

  /// - Parameter place: a path below the folder for added files.
  private func item(at place: String) throws(PluginError) -> StorageItem {
    let kept = try RelativePath(addFolder.text + "/" + place)
    guard let folder = try served().folderIfPresent(kept.folder) else {
      throw Folder.failure(ENOENT, "An added file is missing")
    }
    switch folder.look(kept.name) {
    case .success(let facts):
      return StorageItem(primary: ItemFile(facts, name: kept.name, in: folder, at: kept.folder.text, role: .original))
    case .failure(let failure): throw Folder.failure(failure.number, "An added file is missing")
    }
  }

  public func withdraw(locator: String, identityHint: String) throws(PluginError) {
    let path = try RelativePath(locator)
    let root = try served()
    guard let folder = try root.folderIfPresent(path.folder), folder.exists(path.name) else { return }
    guard case .success(let facts) = folder.look(path.name),
      let hint = ItemFile(facts, name: path.name, in: folder, at: path.folder.text, role: .original).identityHint,
      ExactText(hint) == ExactText(identityHint)
    else { throw PluginError(.notFound, "Another file has this path now. Scan the library again.") }
    try trash([path.name], from: folder, at: path, in: root) { $0.identityHint == hint }
  }

  public func trash(locator: String, known: KnownFile) throws(PluginError) {
    try trash(locator: locator, with: known.others) { $0.isSame(as: known) }
  }

  public func trash(locator: String) throws(PluginError) { try trash(locator: locator, with: nil) { _ in true } }

  private func trash(locator: String, with others: [String]?, where isWanted: (ItemFile) -> Bool) throws(PluginError) {
    let path = try RelativePath(locator)
    let root = try served()
    guard let folder = try root.folderIfPresent(path.folder) else { return }
    guard folder.exists(path.name) else { return }
    var beside: [String] = []
    if let others {
      for other in others {
        let other = try RelativePath(other)
        if ExactText(other.folder.text) == ExactText(path.folder.text) { beside.append(other.name) }
      }
    } else {
      // The files that a scan would group with the file at `path`.
      let group = FileGrouping.items(try folder.names().map { ($0, ()) }).first {
        ExactText($0.name) == ExactText(path.name)
      }
      beside = group?.others.map(\.name) ?? []
    }
    try trash([path.name] + beside, from: folder, at: path, in: root, where: isWanted)
  }

  private func trash(
    _ names: [String], from folder: Folder, at path: RelativePath, in root: Folder, where isWanted: (ItemFile) -> Bool
  ) throws(PluginError) {
    do throws(PluginError) {
      try Trash(root: root, ownFolder: ownFolder).put(names, from: folder, at: path, where: isWanted)
    } catch {
      // The broker can write to the folder for added files alone.
      guard error.code == .readOnly, let place = try addFolder(of: path, in: root) else { throw error }
      try Trash(root: root, in: place, ownFolder: ownFolder).put(names, from: folder, at: path, where: isWanted)
    }
  }

  public func restore(locator: String, known: KnownFile) throws(PluginError) { try bringBack(locator, known) }

  public func restore(locator: String) throws(PluginError) { try bringBack(locator, nil) }

  private func bringBack(_ locator: String, _ known: KnownFile?) throws(PluginError) {
    let path = try RelativePath(locator)
    let root = try served()
    try Trash.restore(path, known: known, from: trashes(of: path, in: root))
  }

  public func findTrashed(locator: String, known: KnownFile) throws(PluginError) -> String {
    let path = try RelativePath(locator)
    return try Trash.find(path, known: known, in: trashes(of: path, in: try served()))
  }

  /// All trashes that may hold an item: the current one, and those from before a change of the
  /// folder's or the added files' owner.
  private func trashes(of path: RelativePath, in root: Folder) throws(PluginError) -> [Trash] {
    var places = [(folder: root, path: "")]
    for name in path.folder.components {
      guard let last = places.last, let next = try? last.folder.child(name) else { break }
      places.append((next, last.path.isEmpty ? name : "\(last.path)/\(name)"))
    }
    let former = ownFolder == nil ? root.owner.map { SavedFolder.name(of: $0) } : nil
    return places.map { Trash(root: root, in: $0.folder, at: $0.path, ownFolder: ownFolder) }
      + places.map {
        Trash(root: root, in: $0.folder, at: $0.path, ownFolder: former, isOthersToo: ownFolder != nil)
      }
  }

  /// The folder for added files, if the item is in it and it is not the served folder; else nil.
  private func addFolder(of path: RelativePath, in root: Folder) throws(PluginError) -> Folder? {
    let own = addFolder.components
    guard !own.isEmpty, path.components.starts(with: own) else { return nil }
    return try root.folderIfPresent(addFolder)
  }
}
