import PhotoModel

/// Which apps are running: a life cycle lasts from the first process of an app that connects until the last one has ended,
/// however often they reconnect meanwhile, and though the broker is started anew.
final class LifeCycles {
  private struct LifeCycle {
    var processes: Set<Int64> = []
    /// Grants whose selection was asked about in this life cycle (R54).
    var asked: Set<GrantKey> = []
  }

  private var running: [AppIdentifier: LifeCycle] = [:]
  private var apps: [Int64: Set<AppIdentifier>] = [:]
  /// As an earlier run of the broker knew them: processes that have not come back yet, if they are there still.
  private var former: [AppIdentifier: LifeCycle] = [:]

  func begin(_ app: AppIdentifier, process: Int64) {
    if former[app]?.processes.remove(process) != nil {
      running[app, default: LifeCycle()].asked.formUnion(former[app]?.asked ?? [])
    }
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
    former[app] = nil
    for process in running.removeValue(forKey: app)?.processes ?? [] {
      apps[process]?.remove(app)
      if apps[process]?.isEmpty ?? false { apps[process] = nil }
    }
  }

  // MARK: Across a restart of the broker

  /// How far two runs may differ in when the machine was started: by what its clock was set in between.
  private static let bootTolerance: Int64 = 300

  /// Those in which something was asked: when the machine was started, in seconds, then a line for each grant: app, library, processes.
  /// - Parameter boot: Processes have their numbers since then.
  func text(boot: Int64) -> String {
    var lines = ["\(boot)"]
    for (app, cycle) in running {
      let processes = cycle.processes.union(former[app]?.processes ?? []).map(String.init).joined(separator: " ")
      for key in cycle.asked { lines.append("\(app) \(key.library) \(processes)") }
    }
    return lines.joined(separator: "\n")
  }

  /// Takes up what ``text(boot:)`` gave; nothing of it where the machine was started anew.
  func restore(_ text: String, boot: Int64) {
    let lines = text.split(separator: "\n")
    guard let before = lines.first.flatMap({ Int64($0) }), before.distance(to: boot).magnitude <= Self.bootTolerance else { return }
    for line in lines.dropFirst() {
      let words = line.split(separator: " ")
      guard words.count > 2, let app = AppIdentifier(String(words[0])), let library = LibraryName(String(words[1])) else { continue }
      former[app, default: LifeCycle()].asked.insert(GrantKey(library: library, app: app, level: .readWrite))
      former[app]?.processes.formUnion(words[2...].compactMap { Int64($0) })
    }
  }
}
