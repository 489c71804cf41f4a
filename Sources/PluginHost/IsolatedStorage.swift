import BrokerInterface
import Glibc
package import PhotoModel
package import PluginKit
package import Supervisor
import Synchronization

/// A storage plugin in processes of its own: one that answers, one that waits for changes, and some that read where the
/// broker cannot open files itself, so that neither a wait nor a transfer holds up anything.
package final class IsolatedStorage: Sendable {
  /// So many items, used or not, and so many empty pages in a row, are an endless list.
  private static let itemLimit = 20_000_000
  private static let emptyPageLimit = 1_000

  private let calls: IsolatedPlugin
  private let watch: IsolatedPlugin
  /// Started when they are needed first.
  private let readers: [IsolatedPlugin]
  private let nextReader = Atomic<Int>(0)
  /// Transfers at a time.
  private static let readerCount = 2
  /// What the waiting process last said of itself: that it cannot watch, only it finds out.
  private let watchFacts = Mutex<StorageFacts?>(nil)

  package init(name: String, settings: PluginSettings, program: ChildOptions) {
    calls = IsolatedPlugin(.storage, name: name, settings: settings, program: program)
    watch = IsolatedPlugin(.storage, name: name, settings: settings, program: program)
    readers = (0..<Self.readerCount).map { _ in IsolatedPlugin(.storage, name: name, settings: settings, program: program) }
  }

  package func facts() throws(PluginFailure) -> StorageFacts {
    var facts = try Self.facts(of: calls)
    if let known = watchFacts.withLock({ $0 }), known.changeDetection == .rescan {
      facts.changeDetection = .rescan
      facts.notice = known.notice
    }
    return facts
  }

  private static func facts(of plugin: IsolatedPlugin) throws(PluginFailure) -> StorageFacts {
    let reply: Plugin.Facts.Reply = try plugin.call(Plugin.Facts.name, Plugin.Facts.Parameters(), deadline: .seconds(10))
    let isPath = reply.root.map { $0.utf8.first == UInt8(ascii: "/") && $0.utf8.count <= 4_096 && !$0.utf8.contains(0) }
    guard isPath ?? true else {
      throw PluginFailure(.failed, "storage(\(plugin.name)): The root is no absolute path.")
    }
    return StorageFacts(
      root: reply.root, changeDetection: .init(rawValue: reply.changeDetection) ?? .rescan, isReadOnly: reply.isReadOnly,
      notice: reply.notice.map { IsolatedPlugin.plain($0) })
  }

  /// All pages. Items that break the protocol's limits are left out and counted.
  /// - Parameter folders: Only what is in these; nil: everything.
  package func enumerate(_ folders: [StorageFolder]? = nil, _ progress: (Int) -> Void) throws(PluginFailure) -> StorageListing {
    var listing = StorageListing()
    var page: String?
    var seen: Set<String> = []
    var emptyPages = 0
    let asked = folders?.map { Plugin.Folder(path: $0.path, isDeep: $0.isDeep) }
    repeat {
      let reply: Plugin.Enumerate.Reply = try calls.call(
        Plugin.Enumerate.name, Plugin.Enumerate.Parameters(page: page, folders: asked), needing: asked == nil ? nil : .folders,
        deadline: .seconds(60))
      for item in reply.items {
        // One path is one item, whatever the plugin says, and what was not asked for is not compared.
        if let checked = StorageItem(checking: item), folders?.contains(where: { $0.contains(checked.primary.locator) }) ?? true,
          seen.insert(checked.primary.locator).inserted
        {
          listing.items.append(checked)
        } else {
          listing.skipped += 1
        }
      }
      try listing.take(unreadable: reply.unreadable ?? [], volumes: reply.volumes ?? [], of: calls.name)
      emptyPages = reply.items.isEmpty ? emptyPages + 1 : 0
      listing.skipped += Int(clamping: max(0, min(reply.skipped, 1 << 30)))
      guard listing.items.count + listing.skipped <= Self.itemLimit, emptyPages <= Self.emptyPageLimit else {
        throw PluginFailure(.failed, "storage(\(calls.name)): The list does not end.")
      }
      page = reply.next
      progress(listing.items.count)
    } while page != nil
    return listing
  }

  package func waitForChanges(milliseconds: Int) throws(PluginFailure) -> StorageNews {
    let reply: Plugin.WaitForChanges.Reply = try watch.call(
      Plugin.WaitForChanges.name, Plugin.WaitForChanges.Parameters(milliseconds: Int64(milliseconds)),
      deadline: .milliseconds(milliseconds) + .seconds(30))
    guard reply.changed else { return .nothing }
    // Only rarely, and answered from memory: how it watches may have changed as well.
    if reply.folders == nil, let facts = try? Self.facts(of: watch) { watchFacts.withLock { $0 = facts } }
    guard let folders = reply.folders, folders.count <= StorageFolder.listLimit, folders.allSatisfy({ StorageListing.isFolder($0.path) })
    else { return .anywhere }
    return .folders(folders.map { StorageFolder(path: $0.path, isDeep: $0.isDeep) })
  }

  /// Has a file's bytes written into a pipe; blocks until the plugin is done with it.
  ///
  /// - Parameter deadline: for waiting for a free process and for the whole transfer.
  package func read(
    locator: String, contentVersion: String, from offset: Int64, into pipe: Int32, deadline: Duration
  ) throws(PluginFailure) {
    let number = nextReader.wrappingAdd(1, ordering: .relaxed).oldValue
    let _: Plugin.Read.Reply = try readers[Int(UInt(bitPattern: number) % UInt(readers.count))].call(
      Plugin.Read.name, Plugin.Read.Parameters(locator: locator, contentVersion: contentVersion, offset: offset, descriptor: 0),
      needing: .read, deadline: deadline, descriptor: pipe)
  }

  package func add(name: String, contents: Int32, size: Int64) throws(PluginFailure) -> StorageItem {
    let reply: Plugin.Add.Reply = try calls.call(
      Plugin.Add.name, Plugin.Add.Parameters(name: name, descriptor: 0, size: size), needing: .add, deadline: .seconds(60),
      descriptor: contents)
    guard let item = StorageItem(checking: reply.item) else {
      throw PluginFailure(.failed, "storage(\(calls.name)): The added item breaks the protocol's limits.")
    }
    return item
  }

  package func trash(locator: String) throws(PluginFailure) {
    let _: Plugin.Trash.Reply = try calls.call(
      Plugin.Trash.name, Plugin.Trash.Parameters(locator: locator), needing: .trash, deadline: .seconds(30))
  }

  package func restore(locator: String) throws(PluginFailure) {
    let _: Plugin.Restore.Reply = try calls.call(
      Plugin.Restore.name, Plugin.Restore.Parameters(locator: locator), needing: .trash, deadline: .seconds(30))
  }

  /// Ends the processes that answer and wait, at once and without waiting for their ends; those that read end with this object.
  package func retire() {
    calls.retire()
    watch.retire()
  }

  package func stop() {
    calls.stop()
    watch.stop()
    for reader in readers { reader.stop() }
  }
}

extension StorageItem {
  /// What the wire brought, where it keeps the limits of ``ItemFile``.
  init?(checking item: Plugin.Item) {
    var files = item.files.compactMap { ItemFile(checking: $0) }
    guard files.count == item.files.count, files.count <= 16, let primary = files.first, primary.role == .original else { return nil }
    files.removeFirst()
    guard let source = SourceType(rawValue: item.source) else { return nil }
    self.init(primary: primary, others: files, source: source)
  }
}

extension ItemFile {
  fileprivate init?(checking file: Plugin.File) {
    guard
      let role = ResourceRole(rawValue: file.role), Self.isPath(file.locator), Self.isName(file.filename), file.size >= 0,
      (1...256).contains(file.contentVersion.utf8.count), (file.identityHint ?? "-").utf8.count <= 256
    else { return nil }
    self.init(
      role: role, locator: file.locator, filename: file.filename, size: file.size, contentVersion: file.contentVersion,
      identityHint: file.identityHint, modified: Timestamp(microseconds: file.modified))
  }

  static func isPath(_ text: String) -> Bool {
    let bytes = text.utf8
    guard (1...4_096).contains(bytes.count), bytes.first != UInt8(ascii: "/"), !bytes.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
      return false
    }
    return !text.split(separator: "/", omittingEmptySubsequences: false).contains { $0 == ".." || $0 == "." || $0.isEmpty }
  }

  private static func isName(_ text: String) -> Bool {
    let bytes = text.utf8
    return (1...255).contains(bytes.count) && !bytes.contains { $0 < 0x20 || $0 == 0x7f || $0 == UInt8(ascii: "/") }
  }
}
