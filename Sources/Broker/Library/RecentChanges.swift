package import PhotoModel

/// The assets that changed with a library's latest revisions. A client that knows an earlier
/// revision only has to fetch these.
package struct RecentChanges: Sendable {
  private struct Change {
    let revision: Int64
    let assets: [AssetIdentifier]
  }

  /// Limit of assets, and of revisions.
  static let limit = 4_096

  private var changes: [Change] = []
  private var count = 0
  /// The revision after which all changes are known.
  private var start: Int64

  init(from revision: Int64) { start = revision }

  /// Notes a new revision.
  /// - Parameter assets: those added, removed or changed; nil: more than the limit.
  mutating func note(_ assets: [AssetIdentifier]?, at revision: Int64) {
    guard let assets else { return (changes, count, start) = ([], 0, revision) }
    changes.append(Change(revision: revision, assets: assets))
    count += assets.count
    guard count > Self.limit || changes.count > Self.limit else { return }
    // Drops half at once, so that the array is not moved with every change.
    var kept = changes.count
    while kept > 0, count > Self.limit / 2 || kept > Self.limit / 2 {
      let first = changes[changes.count - kept]
      count -= first.assets.count
      start = first.revision
      kept -= 1
    }
    changes.removeFirst(changes.count - kept)
  }

  /// The assets that changed after a revision; nil if that is not known.
  package func since(_ revision: Int64, now: Int64) -> Set<AssetIdentifier>? {
    guard (start...max(start, now)).contains(revision) else { return nil }
    return changes.reduce(into: []) { if $1.revision > revision { $0.formUnion($1.assets) } }
  }
}
