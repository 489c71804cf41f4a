import PhotoModel

/// Apps that were removed, which records name still: the latest of each user.
struct FormerApps {
  private var byIdentifier: [AppIdentifier: FormerApp] = [:]
  /// Of each user, the one that was removed first at first.
  private var byUser: [UInt32: [AppIdentifier]] = [:]

  /// - Parameter apps: in the order in which they were removed.
  init(_ apps: [FormerApp] = []) {
    for app in apps { insert(app) }
  }

  subscript(_ identifier: AppIdentifier) -> FormerApp? { byIdentifier[identifier] }

  var all: some Collection<FormerApp> { byIdentifier.values }

  mutating func insert(_ app: FormerApp) {
    guard byIdentifier.updateValue(app, forKey: app.identifier) == nil else { return }
    byUser[app.uid, default: []].append(app.identifier)
    guard byUser[app.uid, default: []].count > FormerApp.keptPerUser, let oldest = byUser[app.uid]?.removeFirst() else { return }
    byIdentifier[oldest] = nil
  }
}
