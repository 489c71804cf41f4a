import Broker
import PhotoModel

extension [ResourceRecord] {
  /// The file that represents an asset for owners and apps: the edited version if there is one.
  var shown: ResourceRecord? {
    first { $0.role == .edited } ?? first { $0.role == .original } ?? first
  }
}
