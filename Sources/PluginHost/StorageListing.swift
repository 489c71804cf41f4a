package import PhotoModel
import PluginKit

/// What a storage plugin listed, checked.
package struct StorageListing: Sendable {
  package var items: [StorageItem] = []
  /// Files that are there and cannot be used, and items that broke the protocol's limits.
  package var skipped = 0
  /// Folders that could not be read, with all below them.
  package var unreadable: [String] = []
  package var volumes: [StorageVolume] = []

  package init() {}

  /// All pages of a plugin's list.
  /// - Parameters:
  ///   - folders: Only what is in these; nil: everything.
  ///   - nextPage: Asks for the page of a token.
  init(
    of name: String, _ folders: [StorageFolder]?, _ limits: PluginAllowance, _ progress: (Int) -> Void,
    nextPage: (String?) throws(PluginFailure) -> ItemPage
  ) throws(PluginFailure) {
    var token: String?
    var seen: Set<ExactText> = []
    var meter = ListMeter(limits)
    repeat {
      let page = try nextPage(token)
      for item in page.items {
        // One path is one item, whatever the plugin says, and what was not asked for is not compared.
        if ItemRules.complaint(about: item) == nil, folders?.contains(where: { $0.contains(item.primary.locator) }) ?? true,
          seen.insert(ExactText(item.primary.locator)).inserted
        {
          items.append(item)
        } else {
          skipped += 1
        }
      }
      try take(unreadable: page.unreadable, volumes: page.volumes, of: name)
      skipped = min(skipped + max(0, min(page.skipped, 1 << 30)), 1 << 30)
      if let reason = meter.note(page) { throw PluginFailure(.failed, "storage(\(name)): \(reason)") }
      token = page.next
      progress(items.count)
    } while token != nil
  }

  /// - Throws: `failed` where these break the limits: what they protect would look deleted without them.
  private mutating func take(unreadable: [String], volumes: [StorageVolume], of name: String) throws(PluginFailure) {
    self.unreadable += unreadable
    self.volumes += volumes
    if let complaint = ItemRules.complaint(unreadable: self.unreadable, volumes: self.volumes) {
      throw PluginFailure(.failed, "storage(\(name)): \(complaint)")
    }
  }
}

extension StorageFacts {
  /// What any plugin may have kept on the broker's disk: four tebibytes.
  private static let cacheLimit: Int64 = 4 << 40

  /// - Throws: `failed` where the root is no absolute path.
  func checked(_ name: String) throws(PluginFailure) -> StorageFacts {
    let isPath = root.map { $0.utf8.first == UInt8(ascii: "/") && $0.utf8.count <= 4_096 && !$0.utf8.contains(0) }
    guard isPath ?? true else { throw PluginFailure(.failed, "storage(\(name)): The root is no absolute path.") }
    var facts = self
    facts.cacheBytes = max(0, min(cacheBytes, Self.cacheLimit))
    facts.notice = notice.map { IsolatedPlugin.plain($0) }
    return facts
  }
}

extension StagedFile {
  /// - Throws: `failed` where one of its texts is not 1 to 256 bytes long.
  func checked(_ plugin: String) throws(PluginFailure) -> StagedFile {
    guard [name, identityHint].allSatisfy({ (1...256).contains($0.utf8.count) }) else {
      throw PluginFailure(.failed, "storage(\(plugin)): A staged file's name or identityHint is not 1 to 256 bytes long.")
    }
    return self
  }
}
