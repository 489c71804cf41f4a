/// Which apps are running: a life cycle lasts from the first process of an app that connects until the last one has ended,
/// however often they reconnect meanwhile.
final class LifeCycles {
  private struct LifeCycle {
    var processes: Set<Int64> = []
    /// Grants whose selection was asked about in this life cycle (R54).
    var asked: Set<GrantKey> = []
  }

  private var running: [AppIdentifier: LifeCycle] = [:]
  private var apps: [Int64: Set<AppIdentifier>] = [:]

  func begin(_ app: AppIdentifier, process: Int64) {
    running[app, default: LifeCycle()].processes.insert(process)
    apps[process, default: []].insert(app)
  }

  func end(process: Int64) {
    for app in apps.removeValue(forKey: process) ?? [] {
      running[app]?.processes.remove(process)
      if running[app]?.processes.isEmpty ?? false { running[app] = nil }
    }
  }

  /// True the first time in the app's life cycle; false where the app has none.
  func takeQuestion(_ key: GrantKey) -> Bool {
    running[key.app]?.asked.insert(key).inserted ?? false
  }

  func forget(_ app: AppIdentifier) {
    for process in running.removeValue(forKey: app)?.processes ?? [] {
      apps[process]?.remove(app)
      if apps[process]?.isEmpty ?? false { apps[process] = nil }
    }
  }
}
