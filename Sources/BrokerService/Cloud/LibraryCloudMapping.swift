import PluginKit

/// A library's cloud mapping as the service uses it: the plugin behind it runs in a process of the library's own.
protocol LibraryCloudMapping: AnyObject, Sendable {
  /// A name for each item, in order; nil where it has none. Blocks: on a worker only.
  func names(of items: [CloudItem], application: String) throws(StorageFailure) -> [String?]
  /// Ends the process behind it.
  func stop()
}
