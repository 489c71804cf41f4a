import BrokerInterface
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
  /// Of those that were skipped, items that the storage listed and the broker did not take.
  package var refused = RefusedItems()

  package init() {}

  /// All pages of a plugin's list.
  /// - Parameters:
  ///   - folders: Only what is in these; nil: everything.
  ///   - nextPage: Asks for the page of a token.
  init(
    of name: String, _ folders: [StorageFolder]?, _ limits: PluginAllowance, _ progress: (Int) -> Void,
    nextPage: (String?) throws(PluginFailure) -> ListedPage
  ) throws(PluginFailure) {
    var token: String?
    var seen: Set<ExactText> = []
    var meter = ListMeter(limits)
    repeat {
      let listed = try nextPage(token)
      let page = listed.page
      for item in page.items {
        if let complaint = ItemRules.complaint(about: item) {
          refused.take(item.files.map { ($0.locator, $0.identityHint) }, complaint)
        } else if !(folders?.contains { $0.contains(item.primary.locator) } ?? true) {
          // It is not compared.
          refused.take([], "It lies in no folder that was asked for.", isElsewhere: true)
        } else if !seen.insert(ExactText(item.primary.locator)).inserted {
          // One path is one item, whatever the plugin says; what else the second one has may be known.
          refused.take(
            item.others.map { ($0.locator, $0.identityHint) }, "Its locator is that of an earlier item.",
            isElsewhere: item.others.isEmpty)
        } else {
          items.append(item)
          continue
        }
        skipped += 1
      }
      for item in listed.refused {
        refused.take(
          item.files.map { ($0.locator, $0.identityHint) },
          ItemRules.complaint(about: item) ?? "It breaks the protocol.")
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

/// A page as it came.
struct ListedPage {
  var page: ItemPage
  /// Items that cannot be in it, for instance with a role that is not known; the page has counted them as skipped.
  var refused: [Plugin.Item] = []
}

/// Items that broke the protocol's limits. Their photos may be there, so that what is known of them
/// is not taken for deleted.
package struct RefusedItems: Sendable, Equatable {
  /// So many files are told apart; where there are more, some are not known.
  private static let fileLimit = 10_000
  /// So many complaints are.
  private static let complaintLimit = 32

  /// Where their files are, with what is wrong with the item.
  package private(set) var files: [ExactText: String] = [:]
  /// What their files are known by wherever they move to.
  package private(set) var identities: Set<ExactText> = []
  /// Whether of some it cannot be told where their files are.
  package private(set) var areSomeUnknown = false
  /// How many items for each complaint. Names no photo.
  package private(set) var complaints: [String: Int] = [:]

  package init() {}

  /// - Parameter isElsewhere: Whether nothing is missing for it.
  package mutating func take(
    _ item: [(locator: String, identityHint: String?)], _ complaint: String, isElsewhere: Bool = false
  ) {
    if complaints[complaint] != nil || complaints.count < Self.complaintLimit { complaints[complaint, default: 0] += 1 }
    guard !isElsewhere else { return }
    if item.isEmpty { areSomeUnknown = true }
    for file in item {
      guard ItemRules.isPath(file.locator), files.count < Self.fileLimit else {
        areSomeUnknown = true
        return
      }
      files[ExactText(file.locator)] = complaint
      if let mark = file.identityHint, (1...256).contains(mark.utf8.count) { identities.insert(ExactText(mark)) }
    }
  }

  /// For the plugin's log, a line for each complaint.
  var notes: [String] {
    complaints.sorted { $0.key < $1.key }.map { complaint, count in
      "\(count) listed item\(count == 1 ? " was" : "s were") refused: \(complaint)"
    }
  }
}

extension StorageItem {
  fileprivate var files: [ItemFile] { [primary] + others }
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
      throw PluginFailure(
        .failed, "storage(\(plugin)): A staged file's name or identityHint is not 1 to 256 bytes long.")
    }
    return self
  }
}
