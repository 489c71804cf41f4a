import Broker
import Delivery
import Limits

extension Reason {
  /// The reason for which a file is skipped, or not trashed.
  /// - Parameter limit: Most bytes of a file of its kind.
  init(skipping error: DeliveryError, limit: Int64 = Int64(ServiceLimits.resourceBytes)) {
    switch error.code {
    case .tooLarge:
      let limit = limit >> 20
      self.init(.fileTooLarge, "it is larger than \(limit) MiB, the limit", ["limit": "\(limit)"])
    case .notFound: self.init(.fileGone, error.message)
    case .permissionDenied: self.init(.fileForbidden, error.message)
    case .symbolicLink: self.init(.fileLink, error.message)
    case .hardLinked: self.init(.fileHardLinked, error.message)
    case .foreignOwner: self.init(.fileForeign, error.message)
    case .empty: self.init(.fileEmpty, error.message)
    case .changedWhileReading: self.init(.fileChanging, error.message)
    case .noSpace: self.init(.fileNoRoom, error.message)
    case .unreachable, .timedOut, .sourceFailed: self.init(.fileAway, error.message)
    default: self.init(.fileUnusable, error.message)
    }
  }
}
