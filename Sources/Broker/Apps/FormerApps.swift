import PhotoModel

/// Removed or forgotten apps that records still mention: the latest of each user.
struct FormerApps {
  private var byIdentifier: [AppIdentifier: FormerApp] = [:]
  /// Groups with a limit each, oldest removal first.
  private var groups: [Group: [AppIdentifier]] = [:]

  private struct Group: Hashable {
    let uid: UInt32
    let isKnownToOthers: Bool

    init(_ app: FormerApp) { (uid, isKnownToOthers) = (app.uid, app.isKnownToOthers) }
  }

  init(_ apps: [FormerApp] = []) {
    for app in apps { insert(app) }
  }

  subscript(_ identifier: AppIdentifier) -> FormerApp? { byIdentifier[identifier] }

  var all: some Collection<FormerApp> { byIdentifier.values }

  mutating func insert(_ app: FormerApp) {
    if let before = byIdentifier.updateValue(app, forKey: app.identifier) {
      groups[Group(before)]?.removeAll { $0 == app.identifier }
    }
    let group = Group(app)
    groups[group, default: []].append(app.identifier)
    guard groups[group, default: []].count > FormerApp.keptPerUser, let oldest = groups[group]?.removeFirst() else {
      return
    }
    byIdentifier[oldest] = nil
  }
}
