package import PhotoModel
package import PluginKit

// The broker's view of a plugin in a process of its own (`Isolated…`) or in the daemon
// (`Trusted…`). Calls block and belong on workers; their results are checked.

package protocol StoragePlugin: Sendable {
  func facts() throws(PluginFailure) -> StorageFacts
  /// Lists all pages. Items that break the protocol's limits are skipped and counted.
  /// - Parameter folders: the folders to list; nil for everything.
  func enumerate(_ folders: [StorageFolder]?, _ progress: (Int) -> Void) throws(PluginFailure) -> StorageListing
  func waitForChanges(milliseconds: Int) throws(PluginFailure) -> StorageNews
  /// - Parameters:
  ///   - length: number of bytes, only with range reads; nil for all to the end.
  ///   - deadline: for the wait for a turn and the whole transfer.
  func read(
    locator: String, contentVersion: String, from offset: Int64, length: Int64?, into pipe: Int32, deadline: Duration
  ) throws(PluginFailure)
  /// - Parameter folder: name of a new folder for the file; nil for none.
  func add(name: String, contents: Int32, size: Int64, folder: String?) throws(PluginFailure) -> StorageItem
  /// Throws `unsupported` for a storage without staging.
  func stage(contents: Int32, size: Int64) throws(PluginFailure) -> StagedFile
  func publish(_ file: StagedFile, name: String) throws(PluginFailure) -> StorageItem
  func discard(_ file: StagedFile) throws(PluginFailure)
  /// Trashes a published file alone; throws `notFound` if another file is in its place.
  func withdraw(locator: String, identityHint: String, size: Int64) throws(PluginFailure)
  /// - Parameter size: total size of the item's files, on which the timeout depends.
  func trash(locator: String, known: KnownFile?, size: Int64) throws(PluginFailure)
  /// - Parameter size: as for ``trash(locator:known:size:)``.
  func restore(locator: String, known: KnownFile?, size: Int64) throws(PluginFailure)
  /// Returns the locator of a trashed file; throws `unsupported` for a storage that does not show its
  /// trash.
  func findTrashed(locator: String, known: KnownFile) throws(PluginFailure) -> String
  /// As ``stop()``, without waiting. Running transfers complete.
  func retire()
  func stop()
}

package protocol AlbumPolicyPlugin: Sendable {
  /// Albums that were not in the question are absent from the answer.
  func decide(_ question: AlbumPolicyQuestion) throws(PluginFailure) -> AlbumPolicyAnswer
  func stop()
}

package protocol CloudMappingPlugin: Sendable {
  /// Starts the plugin with its options, unless it runs already.
  func start() throws(PluginFailure)
  /// Returns a name for each item, in order; nil if the mapping has none or its name breaks the
  /// limits.
  func cloudIdentifiers(for items: [CloudItem], application: String) throws(PluginFailure) -> [String?]
  func stop()
}

extension IsolatedStorage: StoragePlugin {}
extension IsolatedAlbumPolicy: AlbumPolicyPlugin {}
extension IsolatedCloudMapping: CloudMappingPlugin {}
