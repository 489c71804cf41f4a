import Glibc

/// How a child ended.
package enum ChildExit: Sendable, Equatable, CustomStringConvertible {
  /// It ended by itself, with this code.
  case exited(Int32)
  /// This signal ended it.
  case killed(signal: Int32)
  /// Something else in this process took its status away.
  case unknown

  /// The code by which a child that is the first process of a namespace says that it aborted. There
  /// the kernel drops the signal by which `abort` ends others, and what `abort` does then looks
  /// like any invalid access.
  package static let abortedCode = 128 + SIGABRT

  package var description: String {
    switch self {
    case .exited(Self.abortedCode): "aborted (SIGABRT, as code \(Self.abortedCode))"
    case .exited(let code): "exited with code \(code)"
    case .killed(let signal): "was ended by signal \(signal)\(Self.name(of: signal).map { " (\($0))" } ?? "")"
    case .unknown: "ended"
    }
  }

  private static func name(of signal: Int32) -> String? {
    switch signal {
    case SIGABRT: "SIGABRT"
    case SIGBUS: "SIGBUS"
    case SIGFPE: "SIGFPE"
    case SIGILL: "SIGILL"
    case SIGKILL: "SIGKILL"
    // See abortedCode: only the host of shared objects handles it.
    case SIGSEGV: "SIGSEGV, or SIGABRT where the program handles none"
    case SIGSYS: "SIGSYS"
    case SIGTERM: "SIGTERM"
    case SIGTRAP: "SIGTRAP"
    case SIGXCPU: "SIGXCPU"
    case SIGXFSZ: "SIGXFSZ"
    default: nil
    }
  }
}
