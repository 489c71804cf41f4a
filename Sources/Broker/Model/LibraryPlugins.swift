/// How a library uses plugins beside its storage.
package struct LibraryPlugins: Sendable, Equatable {
  /// The plugin that makes the library's cloud identifiers. Nil: the broker's default.
  package var cloudMapping: String?
  package var mappingOptions: [String: String]
  /// By album policy; one that is not in here has its defaults.
  package var policyOptions: [String: [String: String]]

  package init(
    cloudMapping: String? = nil, mappingOptions: [String: String] = [:], policyOptions: [String: [String: String]] = [:]
  ) {
    self.cloudMapping = cloudMapping
    self.mappingOptions = mappingOptions
    self.policyOptions = policyOptions
  }
}
