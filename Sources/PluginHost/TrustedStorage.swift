import Monitor
package import PhotoModel
package import PluginKit
import Synchronization

/// A storage plugin in the daemon, with one thread for each process of ``IsolatedStorage``, so that
/// neither a wait nor a transfer delays other calls.
package final class TrustedStorage: StoragePlugin {
  private let calls: TrustedPlugin
  private let watch: TrustedPlugin
  private let adder: TrustedPlugin
  private let mover: TrustedPlugin
  private let readers: IdleFirst<TrustedPlugin>
  private let capabilities: Set<StorageCapability>
  /// Facts from the waiting object, which alone finds out that it cannot watch.
  private let watchFacts = Mutex<StorageFacts?>(nil)
  private let limits: PluginAllowance

  package init(
    name: String, settings: PluginSettings, limits: PluginAllowance = PluginAllowance(), object: TrustedObject
  ) {
    self.limits = limits
    let make: TrustedPlugin.Maker = { () throws(PluginError) -> AnyObject in
      try object.registry.makeStorage(
        name, options: settings.options, secrets: settings.secrets, folders: settings.folders, owner: settings.owner)
    }
    func plugin() -> TrustedPlugin { TrustedPlugin(.storage, name: name, settings: settings, of: object, make: make) }
    calls = plugin()
    watch = plugin()
    adder = plugin()
    mover = plugin()
    readers = IdleFirst((0..<IsolatedStorage.readerCount).map { _ in plugin() }) { $0.health }
    capabilities = object.registry.storages[name]?.capabilities ?? []
  }

  package func facts() throws(PluginFailure) -> StorageFacts {
    var facts = try facts(of: calls)
    if let known = watchFacts.withLock({ $0 }), known.changeDetection == .rescan {
      facts.changeDetection = .rescan
      facts.notice = known.notice
    }
    return facts
  }

  private func facts(of plugin: TrustedPlugin) throws(PluginFailure) -> StorageFacts {
    let facts = try Self.call(plugin, limits.deadline(.seconds(10))) { (backend) throws(PluginError) in
      try backend.facts()
    }
    return try facts.checked(plugin.name)
  }

  package func enumerate(_ folders: [StorageFolder]? = nil, _ progress: (Int) -> Void) throws(PluginFailure)
    -> StorageListing
  {
    if folders != nil { try need(.folders) }
    let (calls, limits) = (calls, limits)
    return try StorageListing(of: calls.name, folders, limits, progress) { (token) throws(PluginFailure) in
      let page = try Self.call(calls, limits.answer) { (backend) throws(PluginError) in
        if let folders {
          try backend.enumerate(folders: folders, page: token)
        } else {
          try backend.enumerate(page: token)
        }
      }
      return ListedPage(page: page)
    }
  }

  package func waitForChanges(milliseconds: Int) throws(PluginFailure) -> StorageNews {
    let news = try Self.call(watch, .milliseconds(milliseconds) + limits.deadline(.seconds(30))) {
      (backend) throws(PluginError) -> StorageNews in
      guard try backend.waitForChanges(milliseconds: milliseconds) else { return .nothing }
      return backend.changedFolders().map { .folders($0) } ?? .anywhere
    }
    // Rare, and answered from memory: the way of watching may have changed too.
    if news == .anywhere, let facts = try? facts(of: watch) { watchFacts.withLock { $0 = facts } }
    return news.checked
  }

  package func read(
    locator: String, contentVersion: String, from offset: Int64, length: Int64?, into pipe: Int32, deadline: Duration
  ) throws(PluginFailure) {
    try need(.read)
    guard let part = ReadPart(from: offset, length: length) else {
      throw PluginFailure(.failed, "storage(\(calls.name)): \(ReadPart.rule)")
    }
    let limit = MonotonicTime.after(deadline)
    guard let (reader, place) = readers.take(until: limit, isWanted: { IsolatedPlugin.isRead(pipe) }) else {
      throw PluginFailure(.failed, "storage(\(calls.name)): It was cancelled before it began.")
    }
    defer { readers.giveBack(place) }
    _ = try Self.call(reader, limit.remaining, pipe, isTransfer: true) { (backend, pipe) throws(PluginError) -> Bool in
      switch part {
      case .rest: try backend.read(locator: locator, contentVersion: contentVersion, from: offset, into: pipe)
      case .range(let range):
        try backend.read(locator: locator, contentVersion: contentVersion, range: range, into: pipe)
      }
      return true
    }
  }

  package func add(name: String, contents: Int32, size: Int64, folder: String?) throws(PluginFailure) -> StorageItem {
    try need(.add)
    let item = try Self.call(adder, limits.deadline(adding: size), contents) {
      (backend, contents) throws(PluginError) -> StorageItem in
      guard let folder else { return try backend.add(name: name, contents: contents, size: size) }
      return try backend.add(name: name, contents: contents, size: size, folder: folder)
    }
    return try checked(item)
  }

  package func stage(contents: Int32, size: Int64) throws(PluginFailure) -> StagedFile {
    try need(.stage)
    let staged = try Self.call(adder, limits.deadline(adding: size), contents) {
      (backend, contents) throws(PluginError) in
      try backend.stage(contents: contents, size: size)
    }
    return try staged.checked(calls.name)
  }

  package func publish(_ file: StagedFile, name: String) throws(PluginFailure) -> StorageItem {
    try need(.stage)
    let item = try Self.call(adder, limits.deadline(adding: 0)) { (backend) throws(PluginError) in
      try backend.publish(file.name, name: name)
    }
    return try checked(item)
  }

  package func discard(_ file: StagedFile) throws(PluginFailure) {
    try need(.stage)
    _ = try Self.call(adder, limits.deadline(adding: 0)) { (backend) throws(PluginError) -> Bool in
      try backend.discard(file.name)
      return true
    }
  }

  private func checked(_ item: StorageItem) throws(PluginFailure) -> StorageItem {
    guard ItemRules.complaint(about: item) == nil else {
      throw PluginFailure(.failed, "storage(\(calls.name)): The added item breaks the protocol's limits.")
    }
    return item
  }

  package func withdraw(locator: String, identityHint: String, size: Int64) throws(PluginFailure) {
    try move(size, needing: .stage) { (backend) throws(PluginError) in
      try backend.withdraw(locator: locator, identityHint: identityHint)
    }
  }

  package func trash(locator: String, known: KnownFile?, size: Int64) throws(PluginFailure) {
    try move(size, needing: .trash) { (backend) throws(PluginError) in
      if let known { try backend.trash(locator: locator, known: known) } else { try backend.trash(locator: locator) }
    }
  }

  package func restore(locator: String, known: KnownFile?, size: Int64) throws(PluginFailure) {
    try move(size, needing: .trash) { (backend) throws(PluginError) in
      if let known {
        try backend.restore(locator: locator, known: known)
      } else {
        try backend.restore(locator: locator)
      }
    }
  }

  package func findTrashed(locator: String, known: KnownFile) throws(PluginFailure) -> String {
    try need(.findTrashed)
    return try Self.call(mover, limits.deadline(.seconds(30))) { (backend) throws(PluginError) in
      try backend.findTrashed(locator: locator, known: known)
    }
  }

  private func move(
    _ size: Int64, needing capability: StorageCapability,
    _ body: @escaping @Sendable (any StorageBackend) throws(PluginError) -> Void
  ) throws(PluginFailure) {
    try need(capability)
    _ = try Self.call(mover, limits.deadline(moving: size)) { (backend) throws(PluginError) -> Bool in
      try body(backend)
      return true
    }
  }

  private func need(_ capability: StorageCapability) throws(PluginFailure) {
    guard !capabilities.contains(capability) else { return }
    let failure = PluginFailure.lacking(capability)
    throw PluginFailure(failure.code, "storage(\(calls.name)): \(failure.message)")
  }

  private static func call<R: Sendable>(
    _ plugin: TrustedPlugin, _ deadline: Duration,
    _ body: @escaping @Sendable (any StorageBackend) throws(PluginError) -> R
  ) throws(PluginFailure) -> R {
    try call(plugin, deadline, nil) { (backend, _) throws(PluginError) in try body(backend) }
  }

  private static func call<R: Sendable>(
    _ plugin: TrustedPlugin, _ deadline: Duration, _ descriptor: Int32?, isTransfer: Bool = false,
    _ body: @escaping @Sendable (any StorageBackend, Int32) throws(PluginError) -> R
  ) throws(PluginFailure) -> R {
    try plugin.call(deadline: deadline, descriptor: descriptor, isTransfer: isTransfer) {
      (object, descriptor) throws(PluginError) -> R in
      guard let backend = object as? any StorageBackend else { throw PluginError(.failed, "It is not a storage.") }
      return try body(backend, descriptor)
    }
  }

  package func retire() {
    calls.stop()
    watch.stop()
  }

  package func stop() {
    retire()
    for plugin in [adder, mover] + readers.elements { plugin.stop() }
  }
}
