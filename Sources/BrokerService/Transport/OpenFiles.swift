import Glibc
import Limits

/// How many files the process may have open, as it is when that is first asked for: after
/// `BrokerServer.protectProcess()`.
enum OpenFiles {
  static let limit: Int = {
    var files = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files) == 0 else { return 1_024 }
    return Int(clamping: files.rlim_cur)
  }()

  /// Descriptors that others sent there may be with these.
  static let descriptorsSent = ServiceLimits.descriptorsSent(openFiles: limit)

  /// Copies that are kept for who reads them again.
  static let kept = ServiceLimits.keptCopies(openFiles: limit)

  /// Connections of apps that there may be with these.
  static let connections = ServiceLimits.connections(openFiles: limit)

  /// Connections that may wait to be let in with these.
  static let waitingConnections = ServiceLimits.waitingConnections(openFiles: limit)
}
