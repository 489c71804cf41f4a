import PhotoModel

/// The life cycles of running apps. A life cycle lasts from the first process of an app that
/// connects to the end of the last one. Reconnecting and a restart of the broker do not end it.
final class LifeCycles {
  private struct LifeCycle {
    /// By process ID. The value tells the process from others that had this ID, if the kernel
    /// provides it.
    var processes: [Int64: UInt64?] = [:]
    /// Grants whose selection was asked about or chosen in this life cycle (R53, R54).
    var asked: Set<GrantKey> = []
  }

  private var running: [AppIdentifier: LifeCycle] = [:]
  private var apps: [Int64: Set<AppIdentifier>] = [:]
  /// Life cycles from an earlier run of the broker: processes that have not reconnected yet.
  private var former: [AppIdentifier: LifeCycle] = [:]

  /// - Parameter identity: tells the process from others that had its ID; nil: unknown.
  /// - Returns: whether ``text(boot:)`` must be stored again, because a process joined a life cycle
  ///   with prompts.
  func begin(_ app: AppIdentifier, process: Int64, identity: UInt64?) -> Bool {
    var cycle = running[app] ?? LifeCycle()
    var isKept = cycle.processes[process] != nil
    if let known = former[app]?.processes.removeValue(forKey: process),
      known == nil || identity == nil || known == identity
    {
      cycle.asked.formUnion(former[app]?.asked ?? [])
      isKept = true
    }
    cycle.processes.updateValue(identity, forKey: process)
    running[app] = cycle
    apps[process, default: []].insert(app)
    return !isKept && !cycle.asked.isEmpty
  }

  /// - Returns: whether ``text(boot:)`` must be stored again, because it names the process by an ID
  ///   alone, which another process may get; and the apps whose life cycle is over.
  func end(process: Int64) -> (isNamed: Bool, over: [AppIdentifier]) {
    var isNamed = false
    var over: [AppIdentifier] = []
    for app in apps.removeValue(forKey: process) ?? [] {
      guard let identity = running[app]?.processes.removeValue(forKey: process) else { continue }
      if identity == nil, running[app]?.asked.isEmpty == false { isNamed = true }
      if running[app]?.processes.isEmpty ?? false {
        running[app] = nil
        over.append(app)
      }
    }
    return (isNamed, over)
  }

  func isRunning(_ app: AppIdentifier) -> Bool { running[app] != nil }

  /// Notes a prompt about the selection. True the first time in the app's life cycle; false if the
  /// app has none.
  func takeQuestion(_ key: GrantKey) -> Bool {
    running[key.app]?.asked.insert(key).inserted ?? false
  }

  /// Permits the prompt again, because nobody answered it.
  /// - Returns: whether it was noted.
  func giveBackQuestion(_ key: GrantKey) -> Bool {
    running[key.app]?.asked.remove(key) != nil
  }

  func forget(_ app: AppIdentifier) {
    former[app] = nil
    for (process, _) in running.removeValue(forKey: app)?.processes ?? [:] {
      apps[process]?.remove(app)
      if apps[process]?.isEmpty ?? false { apps[process] = nil }
    }
  }

  // MARK: Across a restart of the broker

  /// Largest difference between two runs' boot times, in seconds. Changes of the wall clock move
  /// the computed boot time.
  private static let bootTolerance: Int64 = 300

  private var isBeingKept = false
  private var hasMoved = false

  /// Begins a write of ``text(boot:)``. False while one is running: it is repeated afterwards.
  func beginKeeping() -> Bool {
    hasMoved = isBeingKept
    guard !isBeingKept else { return false }
    isBeingKept = true
    return true
  }

  /// Ends a write. True: it must be repeated.
  func endKeeping() -> Bool {
    isBeingKept = false
    return hasMoved
  }

  /// The life cycles with prompts as text for a setting. The first line is the boot time in
  /// seconds. Each further line is one grant: app, library and processes, each as an ID with an
  /// optional identity after a colon.
  /// - Parameter boot: the boot time, since which process IDs are valid.
  func text(boot: Int64) -> String {
    var lines = ["\(boot)"]
    for (app, cycle) in former.merging(running, uniquingKeysWith: { Self.join($0, $1) }) {
      let processes = cycle.processes.map { number, identity in identity.map { "\(number):\($0)" } ?? "\(number)" }
      guard !processes.isEmpty else { continue }
      for key in cycle.asked { lines.append("\(app) \(key.library) \(processes.joined(separator: " "))") }
    }
    return lines.joined(separator: "\n")
  }

  /// A running life cycle may still be joined by processes of the earlier run. Without prompts in
  /// the running one, the earlier one is written, so that its processes are not asked again.
  private static func join(_ former: LifeCycle, _ running: LifeCycle) -> LifeCycle {
    guard !running.asked.isEmpty else { return former }
    var joined = running
    joined.processes.merge(former.processes) { running, _ in running }
    return joined
  }

  func restore(_ text: String, boot: Int64) {
    let lines = text.split(separator: "\n")
    guard let before = lines.first.flatMap({ Int64($0) }), before.distance(to: boot).magnitude <= Self.bootTolerance
    else { return }
    for line in lines.dropFirst() {
      let words = line.split(separator: " ")
      guard words.count > 2, let app = AppIdentifier(String(words[0])), let library = LibraryName(String(words[1]))
      else { continue }
      former[app, default: LifeCycle()].asked.insert(GrantKey(library: library, app: app, level: .readWrite))
      for word in words[2...] {
        let parts = word.split(separator: ":")
        guard let number = parts.first.flatMap({ Int64($0) }) else { continue }
        former[app]?.processes.updateValue(parts.count > 1 ? UInt64(parts[1]) : nil, forKey: number)
      }
    }
  }
}
