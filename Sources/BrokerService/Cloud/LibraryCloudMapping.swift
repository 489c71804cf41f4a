import PluginKit

/// A library's cloud mapping. Its plugin runs in a process of the library's own.
protocol LibraryCloudMapping: AnyObject, Sendable {
  /// A name for each item, in order; nil for an item without one. Blocks, so it is called on a
  /// worker only.
  func names(of items: [CloudItem], application: String) throws(StorageFailure) -> [String?]
  /// Restarts the plugin at the next call, because it was replaced, installed or removed. Does not
  /// block.
  func renew()
  /// Checks that the plugin starts with its options. Blocks, so it is called on a worker only.
  /// - Throws: The reason, with the option and its allowed values.
  func check() throws(StorageFailure)
  func stop()
}
