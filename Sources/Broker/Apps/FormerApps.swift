import PhotoModel

/// Apps that were removed, or that somebody forgot, which records name still: the latest of each user.
struct FormerApps {
  private var byIdentifier: [AppIdentifier: FormerApp] = [:]
  /// Those that make room for each other, the one that was removed first at first.
  private var piles: [Pile: [AppIdentifier]] = [:]

  private struct Pile: Hashable {
    let uid: UInt32
    let isKnownToOthers: Bool

    init(_ app: FormerApp) { (uid, isKnownToOthers) = (app.uid, app.isKnownToOthers) }
  }

  /// - Parameter apps: in the order in which they were removed.
  init(_ apps: [FormerApp] = []) {
    for app in apps { insert(app) }
  }

  subscript(_ identifier: AppIdentifier) -> FormerApp? { byIdentifier[identifier] }

  var all: some Collection<FormerApp> { byIdentifier.values }

  mutating func insert(_ app: FormerApp) {
    if let before = byIdentifier.updateValue(app, forKey: app.identifier) {
      piles[Pile(before)]?.removeAll { $0 == app.identifier }
    }
    let pile = Pile(app)
    piles[pile, default: []].append(app.identifier)
    guard piles[pile, default: []].count > FormerApp.keptPerUser, let oldest = piles[pile]?.removeFirst() else {
      return
    }
    byIdentifier[oldest] = nil
  }
}
