package import PluginKit

/// Why a plugin did not do something, with the plugin's name in front.
package struct PluginFailure: Error, Sendable, Equatable, CustomStringConvertible {
  package let code: PluginKit.PluginError.Code
  package let message: String

  package init(_ code: PluginKit.PluginError.Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
}
