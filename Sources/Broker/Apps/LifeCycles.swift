import PhotoModel

/// Which apps are running: a life cycle lasts from the first process of an app that connects until
/// the last one has ended, however often they reconnect meanwhile, and though the broker is started
/// anew.
final class LifeCycles {
  private struct LifeCycle {
    /// By number; each with what tells it from others that had that number, where the kernel says so.
    var processes: [Int64: UInt64?] = [:]
    /// Grants whose selection was asked about in this life cycle (R54).
    var asked: Set<GrantKey> = []
  }

  private var running: [AppIdentifier: LifeCycle] = [:]
  private var apps: [Int64: Set<AppIdentifier>] = [:]
  /// As an earlier run of the broker knew them: processes that have not come back yet, if they are there still.
  private var former: [AppIdentifier: LifeCycle] = [:]

  /// - Parameter identity: Tells the process from others that had its number; nil: not known.
  /// - Returns: Whether ``text(boot:)`` is to be kept anew: a process joined a life cycle in which something was asked.
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

  /// - Returns: Whether ``text(boot:)`` is to be kept anew: it names the process by nothing but its
  ///   number, which another one may get.
  func end(process: Int64) -> Bool {
    var isNamed = false
    for app in apps.removeValue(forKey: process) ?? [] {
      guard let identity = running[app]?.processes.removeValue(forKey: process) else { continue }
      if identity == nil, running[app]?.asked.isEmpty == false { isNamed = true }
      if running[app]?.processes.isEmpty ?? false { running[app] = nil }
    }
    return isNamed
  }

  /// True the first time in the app's life cycle; false where the app has none.
  func takeQuestion(_ key: GrantKey) -> Bool {
    running[key.app]?.asked.insert(key).inserted ?? false
  }

  /// Nobody answered what was taken, and it may be asked once more.
  /// - Returns: Whether it was taken.
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

  /// How far two runs may differ in when the machine was started: by what its clock was set in between.
  private static let bootTolerance: Int64 = 300

  private var isBeingKept = false
  private var hasMoved = false

  /// False where the text is being written already: it is written once more after that.
  func beginKeeping() -> Bool {
    hasMoved = isBeingKept
    guard !isBeingKept else { return false }
    isBeingKept = true
    return true
  }

  /// True: it is to be written once more.
  func endKeeping() -> Bool {
    isBeingKept = false
    return hasMoved
  }

  /// Those in which something was asked: when the machine was started, in seconds, then a line for
  /// each grant: app, library, processes, each by number and, after a colon, what tells it from
  /// others that had that number.
  /// - Parameter boot: Processes have their numbers since then.
  func text(boot: Int64) -> String {
    var lines = ["\(boot)"]
    for (app, cycle) in former.merging(running, uniquingKeysWith: { Self.join($0, $1) }) {
      let processes = cycle.processes.map { number, identity in identity.map { "\(number):\($0)" } ?? "\(number)" }
      guard !processes.isEmpty else { continue }
      for key in cycle.asked { lines.append("\(app) \(key.library) \(processes.joined(separator: " "))") }
    }
    return lines.joined(separator: "\n")
  }

  /// One that goes on may be taken up by processes that have not come back yet; in one of which
  /// none has, they would ask anew.
  private static func join(_ former: LifeCycle, _ running: LifeCycle) -> LifeCycle {
    guard !running.asked.isEmpty else { return former }
    var joined = running
    joined.processes.merge(former.processes) { running, _ in running }
    return joined
  }

  /// Takes up what ``text(boot:)`` gave; nothing of it where the machine was started anew.
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
