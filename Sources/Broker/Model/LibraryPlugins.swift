/// A library's plugins and their options, except for its storage.
package struct LibraryPlugins: Sendable, Equatable {
  /// The plugin that computes cloud identifiers. Nil: the broker's default.
  package var cloudMapping: String?
  package var mappingOptions: [String: String]
  /// Keyed by album policy; others have their defaults.
  package var policyOptions: [String: [String: String]]

  package init(
    cloudMapping: String? = nil, mappingOptions: [String: String] = [:], policyOptions: [String: [String: String]] = [:]
  ) {
    self.cloudMapping = cloudMapping
    self.mappingOptions = mappingOptions
    self.policyOptions = policyOptions
  }
}
