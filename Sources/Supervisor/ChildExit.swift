import Glibc

/// The way a child ended.
package enum ChildExit: Sendable, Equatable, CustomStringConvertible {
  /// It exited with this code.
  case exited(Int32)
  /// This signal ended it.
  case killed(signal: Int32)
  /// Other code in this process reaped it.
  case unknown

  /// The exit code for an abort of a child that is process 1 of its namespace. The kernel ignores
  /// SIGABRT there, and the rest of `abort` looks like an invalid access.
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
    // See abortedCode: only the plugin host handles it.
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
