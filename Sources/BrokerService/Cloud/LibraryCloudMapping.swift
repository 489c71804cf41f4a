import PluginKit

/// A library's cloud mapping as the service uses it: the plugin behind it runs in a process of the library's own.
protocol LibraryCloudMapping: AnyObject, Sendable {
  /// A name for each item, in order; nil where it has none. Blocks: on a worker only.
  func names(of items: [CloudItem], application: String) throws(StorageFailure) -> [String?]
  /// Its plugin is another one now, or has come or gone: the next call finds out. Does not block.
  func renew()
  /// Whether it starts with its options. Blocks: on a worker only.
  /// - Throws: why not, naming the option and what is allowed.
  func check() throws(StorageFailure)
  /// Ends the process behind it.
  func stop()
}
