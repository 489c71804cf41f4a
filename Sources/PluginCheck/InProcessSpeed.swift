import Monitor
package import PluginHost
import PluginKit

/// The speed of a shared object in this process, for comparison with the cost of wire and second
/// process.
package enum InProcessSpeed {
  /// Loads the object into this process, where it stays; its crash is ours.
  /// - Throws: a failed load, or the plugin's error.
  package static func measure(_ plugin: CheckedPlugin, path: String) throws(PluginFailure) -> [CheckReport.Speed] {
    let registry = try PluginObject.load(path)
    do throws(PluginError) {
      switch plugin.kind {
      case .storage:
        return try storage(
          registry.makeStorage(plugin.name, options: plugin.settings.options, secrets: plugin.settings.secrets))
      case .albumPolicy:
        return try policy(
          registry.makePolicy(plugin.name, options: plugin.settings.options, secrets: plugin.settings.secrets))
      case .cloudMapping:
        return try mapping(
          registry.makeMapping(plugin.name, options: plugin.settings.options, secrets: plugin.settings.secrets))
      }
    } catch {
      throw PluginFailure(error)
    }
  }

  private static func storage(_ backend: any StorageBackend) throws(PluginError) -> [CheckReport.Speed] {
    let calls = try calls { () throws(PluginError) in _ = try backend.facts() }
    let began = MonotonicTime.now
    var count = 0
    var page: String?
    repeat {
      let found = try backend.enumerate(page: page)
      count += found.items.count
      page = found.next
    } while page != nil
    return [calls, CheckReport.Speed("items", count, since: began)]
  }

  private static func policy(_ policy: any AlbumPolicy) throws(PluginError) -> [CheckReport.Speed] {
    [try calls { () throws(PluginError) in _ = try policy.decide(AlbumPolicyQuestion(isLimited: true, albums: [])) }]
  }

  private static func mapping(_ mapping: any CloudMapping) throws(PluginError) -> [CheckReport.Speed] {
    let items = (0..<1_000).map { number in
      CloudItem.asset(digest: (0..<32).map { UInt8(truncatingIfNeeded: number &* 7 &+ $0) })
    }
    let calls = try calls { () throws(PluginError) in
      _ = try mapping.cloudIdentifiers(for: [], application: "org.example.App")
    }
    let began = MonotonicTime.now
    for _ in 0..<5 { _ = try mapping.cloudIdentifiers(for: items, application: "org.example.App") }
    return [calls, CheckReport.Speed("names", 5 * items.count, since: began)]
  }

  /// Makes the same calls as the check of a process.
  private static func calls(_ body: () throws(PluginError) -> Void) throws(PluginError) -> CheckReport.Speed {
    for _ in 0..<50 { try body() }
    let began = MonotonicTime.now
    let end = MonotonicTime.after(.seconds(1))
    var count = 0
    while !end.hasPassed, count < 100_000 {
      try body()
      count += 1
    }
    return CheckReport.Speed("calls", count, since: began)
  }
}
