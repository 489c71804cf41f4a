package import PhotoModel
package import PluginKit

// What the broker asks of a plugin, however it is run: in a process of its own (`Isolated…`) or inside of the daemon
// (`Trusted…`). Calls block and belong on workers; what they answer has been checked.

/// A storage plugin.
package protocol StoragePlugin: Sendable {
  func facts() throws(PluginFailure) -> StorageFacts
  /// All pages. Items that break the protocol's limits are left out and counted.
  /// - Parameter folders: Only what is in these; nil: everything.
  func enumerate(_ folders: [StorageFolder]?, _ progress: (Int) -> Void) throws(PluginFailure) -> StorageListing
  func waitForChanges(milliseconds: Int) throws(PluginFailure) -> StorageNews
  /// - Parameters:
  ///   - length: Bytes, only where the facts say that it reads ranges; nil: to the end.
  ///   - deadline: for waiting for a turn and for the whole transfer.
  func read(
    locator: String, contentVersion: String, from offset: Int64, length: Int64?, into pipe: Int32, deadline: Duration
  ) throws(PluginFailure)
  /// - Parameter folder: Its name, where the file is to have one of its own.
  func add(name: String, contents: Int32, size: Int64, folder: String?) throws(PluginFailure) -> StorageItem
  /// Holds a new file without a name; `unsupported` where it does not do that.
  func stage(contents: Int32, size: Int64) throws(PluginFailure) -> StagedFile
  /// Gives a staged file its name.
  func publish(_ file: StagedFile, name: String) throws(PluginFailure) -> StorageItem
  /// Takes a staged file away.
  func discard(_ file: StagedFile) throws(PluginFailure)
  /// Takes a published file back, alone; `notFound` where another is in its place.
  func withdraw(locator: String, identityHint: String, size: Int64) throws(PluginFailure)
  /// - Parameter size: Bytes of all of the item's files: the more, the longer it may take.
  func trash(locator: String, known: KnownFile?, size: Int64) throws(PluginFailure)
  /// - Parameter size: As for ``trash(locator:known:size:)``.
  func restore(locator: String, known: KnownFile?, size: Int64) throws(PluginFailure)
  /// As ``stop()``, without waiting; transfers that are going on come to their end.
  func retire()
  /// Refuses every later call.
  func stop()
}

/// An album policy plugin.
package protocol AlbumPolicyPlugin: Sendable {
  /// What the policy answers; of albums that it was not asked about, nothing.
  func decide(_ question: AlbumPolicyQuestion) throws(PluginFailure) -> AlbumPolicyAnswer
  func stop()
}

/// A cloud mapping plugin.
package protocol CloudMappingPlugin: Sendable {
  /// Has it started with its options, where it is not.
  func start() throws(PluginFailure)
  /// A name for each item, in order; nil where the mapping has none, or one that breaks its limits.
  func cloudIdentifiers(for items: [CloudItem], application: String) throws(PluginFailure) -> [String?]
  func stop()
}

extension IsolatedStorage: StoragePlugin {}
extension IsolatedAlbumPolicy: AlbumPolicyPlugin {}
extension IsolatedCloudMapping: CloudMappingPlugin {}
