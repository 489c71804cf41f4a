import Glibc
import Limits

/// Limits that follow from the number of files that the process may open. They are read at first
/// use, after `BrokerServer.protectProcess()`.
enum OpenFiles {
  static let limit: Int = {
    var files = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files) == 0 else { return 1_024 }
    return Int(clamping: files.rlim_cur)
  }()

  static let descriptorsSent = ServiceLimits.descriptorsSent(openFiles: limit)

  static let kept = ServiceLimits.keptCopies(openFiles: limit)

  static let connections = ServiceLimits.connections(openFiles: limit)

  static let waitingConnections = ServiceLimits.waitingConnections(openFiles: limit)
}
