package import PluginKit

/// A plugin's failure, with the plugin's name in front.
package struct PluginFailure: Error, Sendable, Equatable, CustomStringConvertible {
  package let code: PluginKit.PluginError.Code
  package let message: String

  package init(_ code: PluginKit.PluginError.Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package init(_ error: PluginKit.PluginError) { self.init(error.code, error.message) }

  package var description: String { message }
}

extension PluginFailure {
  /// The failure of a call that the plugin's handshake does not offer.
  static func lacking(_ capability: StorageCapability) -> Self {
    switch capability {
    case .add: Self(.readOnly, "It cannot add files.")
    case .trash: Self(.readOnly, "It cannot move files to the trash or restore them.")
    case .read: Self(.unsupported, "It does not offer read.")
    case .folders: Self(.unsupported, "It can only be scanned as a whole.")
    case .stage: Self(.unsupported, "It cannot stage files.")
    case .findTrashed: Self(.unsupported, "It does not show its trash.")
    }
  }
}
