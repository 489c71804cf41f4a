package import PluginKit

/// A shared object that was loaded into the daemon, because an administrator trusts it. It stays loaded.
package final class TrustedObject: @unchecked Sendable {
  // Unchecked: registered into once, while it is made, and only read after that.
  let registry: PluginRegistry

  /// - Throws: as ``PluginObject/load(_:into:)``.
  package init(loading path: String) throws(PluginFailure) { registry = try PluginObject.load(path) }

  /// What is registered there is linked into this program.
  package init(_ registry: sending PluginRegistry) { self.registry = registry }
}
