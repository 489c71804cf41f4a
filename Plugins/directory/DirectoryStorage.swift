import Glibc
public import PhotoModel
public import PluginKit

/// Photos in a folder: what is there is what the library has. Files are never written to or moved, but into the trash.
public final class DirectoryStorage: StorageBackend {
  public static let options: [PluginOption] = [
    PluginOption("path", .text, summary: "The folder, as an absolute path."),
    PluginOption("addFolder", .text, default: "PhotoBroker", summary: "Where added files go: a folder below path, made when it is needed."),
    PluginOption(
      "rescanSeconds", .integer(2...86_400), default: "60",
      summary: "How often to look again where the folder cannot be watched, in seconds."),
    PluginOption(
      "oneFileSystem", .flag, default: "true", summary: "Whether folders that are mounts of other file systems are left out."),
  ]

  /// Where trashed files wait, below the folder; its name begins with a dot, so that no scan finds it.
  static let trashFolder = ".photobroker-trash"
  static let pageSize = 2_000

  private let path: String
  private let addFolder: String
  private let rescanMilliseconds: Int
  private let oneFileSystem: Bool
  private var walk: Walk?
  private var watcher: Watcher?

  public init(options: PluginOptions) throws(PluginError) {
    path = options["path"] ?? ""
    addFolder = options["addFolder"] ?? "PhotoBroker"
    rescanMilliseconds = (options.integer("rescanSeconds") ?? 60) * 1_000
    oneFileSystem = options.flag("oneFileSystem")
    guard path.hasPrefix("/") else { throw PluginError(.invalidOption, "Option \"path\" must be an absolute path.") }
    guard !addFolder.contains("/"), addFolder != ".", addFolder != "..", !addFolder.hasPrefix(".") else {
      throw PluginError(.invalidOption, "Option \"addFolder\" must be one folder's name that does not begin with a dot.")
    }
  }

  public func facts() throws(PluginError) -> StorageFacts {
    let root = try Folder(path: path)
    let reason = Watcher.obstacle(root)
    return StorageFacts(
      root: path, changeDetection: reason == nil ? .watch : .rescan, isReadOnly: !root.isWritable,
      notice: reason.map { "\($0); it is looked at every \(rescanMilliseconds / 1_000) seconds" })
  }

  /// Pages are parts of one walk, which is made at the first page: what changes meanwhile is found by the next walk.
  public func enumerate(page: String?) throws(PluginError) -> ItemPage {
    if page == nil {
      let fresh = Walk(oneFileSystem: oneFileSystem)
      try fresh.look(Folder(path: path))
      walk = fresh
    }
    let start = page.flatMap { Int($0) } ?? 0
    guard let walk, start >= 0, start <= walk.items.count else {
      throw PluginError(.failed, "This page is not known any more; start with the first one.")
    }
    let end = min(start + Self.pageSize, walk.items.count)
    let isLast = end == walk.items.count
    let result = ItemPage(
      items: Array(walk.items[start..<end]), skipped: start == 0 ? walk.skipped : 0, next: isLast ? nil : String(end))
    if isLast { self.walk = nil }
    return result
  }

  public func waitForChanges(milliseconds: Int) throws(PluginError) -> Bool {
    let root = try Folder(path: path)
    if watcher == nil, Watcher.obstacle(root) == nil {
      watcher = Watcher(root: path, oneFileSystem: oneFileSystem)
      if watcher != nil { return true }
    }
    if let watcher {
      switch watcher.wait(milliseconds: milliseconds) {
      case .changed: return true
      case .nothing: return false
      case .broken: self.watcher = nil
      }
      return true
    }
    waited += milliseconds
    usleep(UInt32(max(0, min(milliseconds, 1_000_000))) * 1_000)
    guard waited >= rescanMilliseconds else { return false }
    waited = 0
    return true
  }

  /// Since the last timed look.
  private var waited = 0

  // MARK: Changes that the broker makes

  public func add(name: String, contents: Int32, size: Int64) throws(PluginError) -> StorageItem {
    let folder = try Folder(path: path).makeFolder(addFolder)
    let kept = try AddedFile.write(contents, size: size, name: name, into: folder)
    let file = try folder.file(kept, below: addFolder, role: .original)
    return StorageItem(primary: file)
  }

  public func trash(locator: String) throws(PluginError) {
    let root = try Folder(path: path)
    let trash = try root.makeFolder(Self.trashFolder)
    for name in try files(with: locator, in: root) { try root.move(name, to: trash, as: Self.trashName(name)) }
  }

  public func restore(locator: String) throws(PluginError) {
    let root = try Folder(path: path)
    let trash = try root.makeFolder(Self.trashFolder)
    let wanted = Self.trashName(locator)
    let stem = Self.stem(wanted)
    var found = false
    for name in try trash.names() where name == wanted || (Self.stem(name) == stem) {
      try trash.moveBack(name, to: root, as: Self.originalName(name))
      found = true
    }
    guard found else { throw PluginError(.notFound, "Nothing of that name is in the trash.") }
  }

  /// The file and those that the walk would put beside it.
  private func files(with locator: String, in root: Folder) throws(PluginError) -> [String] {
    let parts = locator.split(separator: "/").map(String.init)
    guard let last = parts.last else { throw PluginError(.notFound, "There is no such file.") }
    let folder = try root.folder(parts.dropLast().joined(separator: "/"))
    let prefix = parts.dropLast().map { $0 + "/" }.joined()
    let grouped = Grouping.items(try folder.names().map { ($0, $0) }).first { $0.primary == last }
    guard let grouped else { return folder.exists(last) ? [locator] : [] }
    return ([grouped.primary] + grouped.others.map(\.name)).map { prefix + $0 }
  }

  /// Folders become part of the name, so that the trash is one folder and every file finds its way back.
  static func trashName(_ locator: String) -> String {
    locator.map { character in
      switch character {
      case "/": "%2F"
      case "%": "%25"
      default: String(character)
      }
    }.joined()
  }

  static func originalName(_ name: String) -> String {
    var result = ""
    var rest = Substring(name)
    while let mark = rest.firstIndex(of: "%") {
      result += rest[..<mark]
      let code = rest[mark...].prefix(3)
      result += code == "%2F" ? "/" : code == "%25" ? "%" : String(code)
      rest = rest[code.endIndex...]
    }
    return result + rest
  }

  private static func stem(_ name: String) -> Substring { name.lastIndex(of: ".").map { name[..<$0] } ?? name[...] }
}
