/// How a child ended.
package enum ChildExit: Sendable, Equatable, CustomStringConvertible {
  /// It ended by itself, with this code.
  case exited(Int32)
  /// This signal ended it.
  case killed(signal: Int32)
  /// Something else in this process took its status away.
  case unknown

  package var description: String {
    switch self {
    case .exited(let code): "exited with code \(code)"
    case .killed(let signal): "was ended by signal \(signal)"
    case .unknown: "ended"
    }
  }
}
