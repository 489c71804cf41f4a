import Broker
import Delivery
import Limits
import PhotoModel

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

  /// The reason for which a storage left a file or folder out.
  init(leftOut cause: LeftOutFile.Cause) {
    switch cause {
    case .link: self.init(.fileLink, "it is a symbolic link; put the file or folder itself there")
    case .name:
      self.init(.fileName, "its name is no UTF-8 text, has control characters, or makes the path too long; rename it")
    case .depth: self.init(.folderDeep, "it lies below more than 64 other folders")
    case .unreadable: self.init(.fileForbidden, "the broker's user may not read it, or its disk fails")
    case .fileSystem:
      self.init(.folderOtherVolume, "another file system is mounted there; oneFileSystem=false includes it")
    case .kind: self.init(.fileSpecial, "it is a pipe, socket or device")
    case .backup:
      self.init(.fileBackup, "it is a backup of the file beside it; rename it to have it as a photo of its own")
    case .facts: self.init(.fileFactless, "too little is known about it yet; its server is asked again later")
    }
  }
}
