import Supervisor

/// Condition of a plugin's process, best first. A process that fails at once is always idle, and
/// without this order every caller would get it.
enum PluginHealth: Int, Comparable, Sendable {
  /// It runs, or has not been started yet.
  case well
  /// Its last use failed; it may restart after a pause.
  case failing
  case refusing

  static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

extension IsolatedPlugin {
  var health: PluginHealth {
    switch supervisor.status {
    case .idle, .running: .well
    case .failing: .failing
    case .unavailable, .stopped: .refusing
    }
  }
}
