package import PluginKit

/// A plugin's failure, with the plugin's name in front.
package struct PluginFailure: Error, Sendable, Equatable, CustomStringConvertible {
  package let code: PluginKit.PluginError.Code
  package let message: String

  package init(_ code: PluginKit.PluginError.Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
}

extension PluginFailure {
  /// The failure of a call that the plugin's handshake does not offer.
  static func lacking(_ capability: StorageCapability) -> Self {
    switch capability {
    case .add: Self(.readOnly, "It takes no new files.")
    case .trash: Self(.readOnly, "It can take nothing away and bring nothing back.")
    case .read: Self(.unsupported, "It hands over no bytes.")
    case .folders: Self(.unsupported, "It is only scanned as a whole.")
    case .stage: Self(.unsupported, "It holds no files without a name.")
    }
  }
}
