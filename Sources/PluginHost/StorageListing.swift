import BrokerInterface
import Limits
package import PhotoModel
import PluginKit

/// A storage plugin's checked list.
package struct StorageListing: Sendable {
  package var items: [StorageItem] = []
  /// Number of unusable files that the storage does not name.
  package var unnamed = 0
  /// Unusable files and folders, with the causes.
  package var leftOut: [LeftOutFile] = []
  /// Folders that could not be read, with all below them.
  package var unreadable: [String] = []
  package var volumes: [StorageVolume] = []
  /// The skipped items that the storage listed and the broker refused.
  package var refused = RefusedItems()
  /// Number of all files, folders and items that are left out.
  package var skipped: Int { unnamed + leftOut.count + refused.count }

  package init(items: [StorageItem] = []) { self.items = items }

  /// Reads all pages of a plugin's list.
  /// - Parameters:
  ///   - folders: the folders to list; nil for everything.
  ///   - nextPage: requests the page of a token.
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
          refused.take(item.files.map { ($0.locator, $0.identityHint) }, complaint, of: item.primary.locator)
        } else if !(folders?.contains { $0.contains(item.primary.locator) } ?? true) {
          // The scan compares the requested folders alone.
          refused.take([], "It is outside of the folders that were asked for.", of: nil, isElsewhere: true)
        } else if !seen.insert(ExactText(item.primary.locator)).inserted {
          // One path is one item. The second item's other files may be known files.
          refused.take(
            item.others.map { ($0.locator, $0.identityHint) }, "It has the locator of an earlier item.",
            of: item.primary.locator, isElsewhere: item.others.isEmpty)
        } else {
          items.append(item)
        }
      }
      for item in listed.refused {
        refused.take(
          item.files.map { ($0.locator, $0.identityHint) },
          ItemRules.complaint(about: item) ?? "It breaks the protocol.", of: item.files.first?.locator)
      }
      leftOut += page.leftOut.lazy.filter { file in folders?.contains { $0.contains(file.path) } ?? true }.map(
        \.checked)
      try take(unreadable: page.unreadable, volumes: page.volumes, of: name)
      unnamed = min(unnamed + max(0, min(page.skipped, 1 << 30)), 1 << 30)
      if let reason = meter.note(page) { throw PluginFailure(.failed, "storage(\(name)): \(reason)") }
      token = page.next
      progress(items.count)
    } while token != nil
  }

  /// - Throws: `failed` if these break the limits: without them, protected assets would look
  ///   deleted.
  private mutating func take(unreadable: [String], volumes: [StorageVolume], of name: String) throws(PluginFailure) {
    self.unreadable += unreadable
    self.volumes += volumes
    if let complaint = ItemRules.complaint(unreadable: self.unreadable, volumes: self.volumes) {
      throw PluginFailure(.failed, "storage(\(name)): \(complaint)")
    }
  }
}

/// One page from the wire.
struct ListedPage {
  var page: ItemPage
  /// Items that do not fit into the page, for instance with an unknown role.
  var refused: [Plugin.Item] = []
}

/// Items that broke the protocol's limits. Their files may exist, so that known assets in them do
/// not count as deleted.
package struct RefusedItems: Sendable, Equatable {
  /// Maximum number of recorded files; further ones count as unknown.
  private static let fileLimit = 10_000
  /// Maximum number of distinct complaints.
  private static let complaintLimit = 32

  /// The problem of each file's item, by locator.
  package private(set) var files: [ExactText: String] = [:]
  /// Identity hints of the files.
  package private(set) var identities: Set<ExactText> = []
  /// Whether the locators of some files are unknown.
  package private(set) var areSomeUnknown = false
  /// Number of items for each complaint. Names no photo.
  package private(set) var complaints: [String: Int] = [:]
  /// The first file's path of each item, showable, with the complaint; without items beyond the
  /// limit, and items without a file.
  package private(set) var names: [ExactText: String] = [:]
  package private(set) var count = 0

  package init() {}

  /// - Parameters:
  ///   - name: the item's path, for its owner.
  ///   - isElsewhere: whether no known asset is missing because of this item.
  package mutating func take(
    _ item: [(locator: String, identityHint: String?)], _ complaint: String, of name: String?,
    isElsewhere: Bool = false
  ) {
    count += 1
    if let name, !name.isEmpty, names.count < Self.fileLimit {
      names[ExactText(LeftOutFile.showable(name))] = complaint
    }
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

  /// Lines for the plugin's log, one for each complaint.
  var notes: [String] {
    complaints.sorted { $0.key < $1.key }.map { complaint, count in
      "\(Amount.count(count, "listed item")) refused: \(complaint)"
    }
  }
}

extension LeftOutFile {
  /// A copy with a path that can be shown and stored.
  fileprivate var checked: Self { Self(path: Self.showable(path), cause: cause) }

  fileprivate static func showable(_ path: String) -> String {
    let bytes = path.utf8
    guard bytes.isEmpty || bytes.count > pathLimitBytes || bytes.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
      return path
    }
    return bytes.isEmpty ? "?" : escaped(bytes.prefix(pathLimitBytes / 4))
  }
}

extension StorageItem {
  fileprivate var files: [ItemFile] { [primary] + others }
}

extension StorageFacts {
  /// Maximum disk cache for a plugin, in bytes: four tebibytes.
  private static let cacheLimit: Int64 = 4 << 40

  /// - Throws: `failed` if the root is no absolute path.
  func checked(_ name: String) throws(PluginFailure) -> StorageFacts {
    let isPath = root.map { $0.utf8.first == UInt8(ascii: "/") && $0.utf8.count <= 4_096 && !$0.utf8.contains(0) }
    guard isPath ?? true else { throw PluginFailure(.failed, "storage(\(name)): The root is not an absolute path.") }
    var facts = self
    facts.cacheBytes = max(0, min(cacheBytes, Self.cacheLimit))
    facts.notice = notice.map { IsolatedPlugin.plain($0) }
    facts.ignoredNames = ignoredNames.prefix(256).filter { $0.utf8.count <= 256 }.map { IsolatedPlugin.plain($0) }
    return facts
  }
}

extension StagedFile {
  /// - Throws: `failed` if one of its texts is not 1 to 256 bytes long.
  func checked(_ plugin: String) throws(PluginFailure) -> StagedFile {
    guard [name, identityHint].allSatisfy({ (1...256).contains($0.utf8.count) }) else {
      throw PluginFailure(
        .failed, "storage(\(plugin)): A staged file's name or identityHint is not 1 to 256 bytes long.")
    }
    return self
  }
}
