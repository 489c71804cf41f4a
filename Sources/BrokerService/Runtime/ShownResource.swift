import Broker
import PhotoModel

extension [ResourceRecord] {
  /// The file that an asset is shown by, to its owner as to apps: the edited version where there is one.
  var shown: ResourceRecord? {
    first { $0.role == .edited } ?? first { $0.role == .original } ?? first
  }
}
