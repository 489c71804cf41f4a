import PhotoModel

/// All grants, by key and by app. A forgotten grant stays in the table without a decision, so that
/// its holders read the present state.
final class GrantTable {
  private var byKey: [GrantKey: GrantState] = [:]
  private var byApp: [AppIdentifier: [GrantState]] = [:]

  subscript(_ key: GrantKey) -> GrantState? { byKey[key] }
  subscript(app app: AppIdentifier) -> [GrantState] { byApp[app] ?? [] }
  var all: Dictionary<GrantKey, GrantState>.Values { byKey.values }

  func insert(_ grant: GrantState) {
    let key = grant.record.key
    guard byKey.updateValue(grant, forKey: key) == nil else { return }
    byApp[key.app, default: []].append(grant)
  }

  /// Removes a grant; its holders get no access through it any more.
  func remove(_ grant: GrantState) {
    let key = grant.record.key
    grant.isRemoved = true
    guard byKey[key] === grant else { return }
    byKey[key] = nil
    byApp[key.app]?.removeAll { $0 === grant }
    if byApp[key.app]?.isEmpty ?? false { byApp[key.app] = nil }
  }

  /// Grants that give access, or will after a pending edit, by library, app and level. A later
  /// restriction must include those too.
  func giving(where isWanted: (GrantState) -> Bool) -> [GrantState] {
    byKey.values.filter { $0.givesAccessNowOrSoon && isWanted($0) }.sorted { $0.record.key < $1.record.key }
  }

  /// Grants with a decision, by library, app and level.
  func decided(where isWanted: (GrantState) -> Bool = { _ in true }) -> [GrantState] {
    byKey.values.filter { $0.record.status != .notDetermined && isWanted($0) }.sorted { $0.record.key < $1.record.key }
  }
}

extension GrantKey: Comparable {
  package static func < (a: Self, b: Self) -> Bool {
    (a.library, a.app, a.level.rawValue) < (b.library, b.app, b.level.rawValue)
  }
}
