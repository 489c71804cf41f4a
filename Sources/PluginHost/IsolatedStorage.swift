package import BrokerInterface
import Glibc
import Monitor
package import PhotoModel
package import PluginKit
package import Supervisor
import Synchronization

/// A storage plugin in several processes, so that neither a wait nor a transfer delays other calls.
/// One lists, one waits for changes, one adds, one trashes and restores. Some more read, if the
/// broker cannot open files itself.
package final class IsolatedStorage: Sendable {
  private let calls: IsolatedPlugin
  private let watch: IsolatedPlugin
  /// A separate process, because adding may take as long as an upload. Started on first use.
  private let adder: IsolatedPlugin
  /// A separate process, because moving may copy bytes. Started on first use.
  private let mover: IsolatedPlugin
  /// Started on first use.
  private let readers: IdleFirst<IsolatedPlugin>
  /// Maximum number of concurrent transfers for apps in one library.
  package static let appTransfers = 8
  /// Readers for apps, so that no transfer waits for a stalled one; two for reading new files, one
  /// for digests, and one for the check before trashing.
  static let readerCount = appTransfers + 2 + 1 + 1
  /// Facts from the waiting process, which alone finds out that it cannot watch.
  private let watchFacts = Mutex<StorageFacts?>(nil)
  /// Number of consecutive waits that returned too early.
  private let early = Mutex(0)
  private static let earlyLimit = 10
  private let refusals: RefusalNotes
  private let limits: PluginAllowance
  private let journal: (any ChildJournal)?
  /// The refusals that the journal was last told.
  private let told = Mutex<[String: Int]>([:])

  package init(
    name: String, settings: PluginSettings, limits: PluginAllowance = PluginAllowance(), program: ChildOptions
  ) {
    func plugin(_ program: ChildOptions) -> IsolatedPlugin {
      IsolatedPlugin(.storage, name: name, settings: settings, program: program)
    }
    // Processes that list and wait keep state between calls. They restart only after mounts that
    // they might not see: an unreadable folder would look empty to many plugins.
    var listing = program
    listing.renewal = .afterMountsAtItsRules
    var transferring = program
    transferring.renewal = .afterAnyMount
    // A video may exceed the file limit of other processes.
    var writing = transferring
    writing.fileBytes = nil
    self.limits = limits
    journal = program.journal
    refusals = RefusalNotes(program.journal)
    calls = plugin(listing)
    watch = plugin(listing)
    adder = plugin(writing)
    mover = plugin(writing)
    readers = IdleFirst((0..<Self.readerCount).map { _ in plugin(transferring) }) { $0.health }
  }

  package func facts() throws(PluginFailure) -> StorageFacts {
    var facts = try facts(of: calls)
    if let known = watchFacts.withLock({ $0 }), known.changeDetection == .rescan {
      facts.changeDetection = .rescan
      facts.notice = known.notice
    }
    return facts
  }

  private func facts(of plugin: IsolatedPlugin) throws(PluginFailure) -> StorageFacts {
    let reply = try plugin.call(Plugin.Facts.self, .init(), deadline: limits.deadline(.seconds(10)))
    let told = StorageFacts(
      root: reply.root, changeDetection: .init(rawValue: reply.changeDetection) ?? .rescan,
      isReadOnly: reply.isReadOnly,
      notice: reply.notice.map { plugin.settings.redacted($0) }, cacheBytes: reply.cacheBytes ?? 0,
      readsRanges: reply.ranges ?? false, ignoredNames: reply.ignoredNames ?? [],
      takesAdditions: reply.takesAdditions, takesDeletions: reply.takesDeletions)
    return try noting { () throws(PluginFailure) in try told.checked(plugin.name) }
  }

  /// Lists all pages. Items that break the protocol's limits are skipped and counted.
  /// - Parameter folders: the folders to list; nil for everything.
  package func enumerate(_ folders: [StorageFolder]? = nil, _ progress: (Int) -> Void) throws(PluginFailure)
    -> StorageListing
  {
    let asked = folders?.map { Plugin.Folder(path: $0.path, isDeep: $0.isDeep) }
    let (calls, limits) = (calls, limits)
    // A call's own failure is the plugin's answer, or the end of its process, which is logged anyway.
    var isAnswered = false
    let listing: StorageListing
    do throws(PluginFailure) {
      listing = try StorageListing(of: calls.name, folders, limits, progress) { (token) throws(PluginFailure) in
        isAnswered = false
        let reply = try calls.call(
          Plugin.Enumerate.self, .init(page: token, folders: asked), needing: asked == nil ? nil : .folders,
          deadline: limits.answer)
        isAnswered = true
        let page = ItemPage(reply)
        // A second check costs less than keeping the items.
        let isWhole = page.items.count == reply.items.count
        return ListedPage(page: page, refused: isWhole ? [] : reply.items.filter { StorageItem($0) == nil })
      }
    } catch {
      if isAnswered { refusals.note(error.message) }
      throw error
    }
    note(listing.refused)
    return listing
  }

  /// Logs the fault of an answer for the plugin's author.
  private func noting<R>(_ check: () throws(PluginFailure) -> R) throws(PluginFailure) -> R {
    do { return try check() } catch {
      refusals.note(error.message)
      throw error
    }
  }

  /// Logs refusals for the plugin's author, once while they stay the same.
  private func note(_ refused: RefusedItems) {
    let isNew = told.withLock { told in
      defer { told = refused.complaints }
      return told != refused.complaints
    }
    guard isNew else { return }
    for note in refused.notes { journal?.childNoted(note, 0) }
  }

  package func waitForChanges(milliseconds: Int) throws(PluginFailure) -> StorageNews {
    let began = MonotonicTime.now
    let reply = try watch.call(
      Plugin.WaitForChanges.self, .init(milliseconds: Int64(milliseconds)),
      deadline: .milliseconds(milliseconds) + limits.deadline(.seconds(30)))
    guard reply.changed else {
      noteWait(began, milliseconds)
      return .nothing
    }
    early.withLock { $0 = 0 }
    // Rare, and answered from memory: the way of watching may have changed too.
    if reply.folders == nil, let facts = try? facts(of: watch) { watchFacts.withLock { $0 = facts } }
    let folders = reply.folders?.map { StorageFolder(path: $0.path, isDeep: $0.isDeep) }
    return (folders.map { .folders($0) } ?? StorageNews.anywhere).checked
  }

  /// Logs that the plugin does not wait, after several early returns: a single one may have had a
  /// reason.
  private func noteWait(_ began: MonotonicTime, _ milliseconds: Int) {
    guard milliseconds > 0 else { return }
    let passed = (MonotonicTime.now.nanoseconds - began.nanoseconds) / 1_000_000
    let count = early.withLock { early in
      early = passed * 2 < milliseconds ? early + 1 : 0
      return early
    }
    guard count == Self.earlyLimit else { return }
    refusals.note(
      """
      It does not wait: \(count) calls of WaitForChanges with \(milliseconds) ms reported no change in less than half \
      of that time. It is called less often now. Wait for a change, or for the whole time.
      """
    )
  }

  /// Lets a reader process write a file's bytes into a pipe, and blocks until it is done. A plugin
  /// that does not notice a closed pipe is ended.
  ///
  /// - Parameter deadline: for the wait for a free process and the whole transfer.
  package func read(
    locator: String, contentVersion: String, from offset: Int64, length: Int64?, into pipe: Int32, deadline: Duration
  ) throws(PluginFailure) {
    guard ReadPart(from: offset, length: length) != nil else {
      throw PluginFailure(.failed, "storage(\(calls.name)): \(ReadPart.rule)")
    }
    let end = MonotonicTime.after(deadline)
    guard let (reader, place) = readers.take(until: end, isWanted: { IsolatedPlugin.isRead(pipe) }) else {
      throw PluginFailure(.failed, "storage(\(calls.name)): It was cancelled before it began.")
    }
    defer { readers.giveBack(place) }
    _ = try reader.call(
      Plugin.Read.self,
      .init(locator: locator, contentVersion: contentVersion, offset: offset, length: length, descriptor: 0),
      needing: .read, deadline: end.remaining, descriptor: pipe, isTransfer: true)
  }

  package func add(name: String, contents: Int32, size: Int64, folder: String?) throws(PluginFailure) -> StorageItem {
    let reply = try adder.call(
      Plugin.Add.self, .init(name: name, descriptor: 0, size: size, folder: folder), needing: .add,
      deadline: limits.deadline(adding: size), descriptor: contents)
    return try checked(reply.item)
  }

  package func stage(contents: Int32, size: Int64) throws(PluginFailure) -> StagedFile {
    let reply = try adder.call(
      Plugin.Stage.self, .init(descriptor: 0, size: size), needing: .stage, deadline: limits.deadline(adding: size),
      descriptor: contents)
    return try noting { () throws(PluginFailure) in
      try StagedFile(name: reply.staged, identityHint: reply.identityHint).checked(calls.name)
    }
  }

  package func publish(_ file: StagedFile, name: String) throws(PluginFailure) -> StorageItem {
    let reply = try adder.call(
      Plugin.Publish.self, .init(staged: file.name, name: name), needing: .stage, deadline: limits.deadline(adding: 0))
    return try checked(reply.item)
  }

  package func discard(_ file: StagedFile) throws(PluginFailure) {
    _ = try adder.call(
      Plugin.Discard.self, .init(staged: file.name), needing: .stage, deadline: limits.deadline(adding: 0))
  }

  private func checked(_ item: Plugin.Item) throws(PluginFailure) -> StorageItem {
    if let complaint = ItemRules.complaint(about: item) {
      refusals.note("The answer to an addition was refused: \(complaint)")
    } else if let item = StorageItem(item) {
      return item
    }
    throw PluginFailure(.failed, "storage(\(calls.name)): The added item breaks the protocol's limits.")
  }

  package func withdraw(locator: String, identityHint: String, size: Int64) throws(PluginFailure) {
    _ = try mover.call(
      Plugin.Withdraw.self, .init(locator: locator, identityHint: identityHint), needing: .stage,
      deadline: limits.deadline(moving: size))
  }

  package func trash(locator: String, known: KnownFile?, size: Int64) throws(PluginFailure) {
    _ = try mover.call(
      Plugin.Trash.self,
      .init(
        locator: locator, contentVersion: known?.contentVersion, identityHint: known?.identityHint,
        others: known?.others),
      needing: .trash, deadline: limits.deadline(moving: size))
  }

  package func restore(locator: String, known: KnownFile?, size: Int64) throws(PluginFailure) {
    _ = try mover.call(
      Plugin.Restore.self,
      .init(locator: locator, contentVersion: known?.contentVersion, identityHint: known?.identityHint),
      needing: .trash, deadline: limits.deadline(moving: size))
  }

  package func findTrashed(locator: String, known: KnownFile) throws(PluginFailure) -> String {
    let reply = try mover.call(
      Plugin.FindTrashed.self,
      .init(locator: locator, contentVersion: known.contentVersion, identityHint: known.identityHint),
      needing: .findTrashed, deadline: limits.deadline(.seconds(30)))
    return reply.locator
  }

  /// Ends the processes that list and wait, without waiting for their end. The others end with this
  /// object.
  package func retire() {
    calls.retire()
    watch.retire()
  }

  package func stop() {
    calls.stop()
    watch.stop()
    for plugin in [adder, mover] + readers.elements { plugin.stop() }
  }
}

extension ItemPage {
  /// Converts a reply, without items of unknown roles or sources.
  package init(_ reply: Plugin.Enumerate.Reply) {
    let items = reply.items.compactMap { StorageItem($0) }
    self.init(
      items: items, skipped: Int(clamping: max(0, min(reply.skipped, 1 << 30))), next: reply.next,
      unreadable: reply.unreadable ?? [],
      volumes: (reply.volumes ?? []).map { StorageVolume(path: $0.path, identity: $0.identity) },
      leftOut: (reply.leftOut ?? []).map { LeftOutFile(path: $0.path, cause: .init(rawValue: $0.cause) ?? .unreadable) }
    )
  }
}

extension StorageItem {
  init?(_ item: Plugin.Item) {
    let files = item.files.compactMap { ItemFile($0) }
    guard files.count == item.files.count, let primary = files.first, let source = SourceType(rawValue: item.source)
    else { return nil }
    self.init(primary: primary, others: Array(files.dropFirst()), source: source)
  }
}

extension ItemFile {
  fileprivate init?(_ file: Plugin.File) {
    guard let role = ResourceRole(rawValue: file.role) else { return nil }
    self.init(
      role: role, locator: file.locator, filename: file.filename, size: file.size, contentVersion: file.contentVersion,
      identityHint: file.identityHint, modified: Timestamp(microseconds: file.modified))
  }
}
