import Supervisor

/// How much is to be expected of one of a plugin's processes, the best first: what fails at once is
/// always idle, and would else be what everybody gets.
enum PluginHealth: Int, Comparable, Sendable {
  /// It runs, or was not needed yet.
  case well
  /// It failed when it was used last, and may come again after a pause.
  case failing
  /// Calls are refused for now.
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
