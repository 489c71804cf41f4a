package import PhotoModel

/// Which assets were changed with a library's latest revisions: whoever knows an earlier one asks
/// for no more than these.
package struct RecentChanges: Sendable {
  private struct Change {
    let revision: Int64
    let assets: [AssetIdentifier]
  }

  /// Assets, and revisions, that are remembered.
  static let limit = 4_096

  private var changes: [Change] = []
  private var count = 0
  /// What changed after this revision is known.
  private var start: Int64

  init(from revision: Int64) { start = revision }

  /// A revision came about.
  /// - Parameter assets: those that came, went or became others; nil: more than are remembered.
  mutating func note(_ assets: [AssetIdentifier]?, at revision: Int64) {
    guard let assets else { return (changes, count, start) = ([], 0, revision) }
    changes.append(Change(revision: revision, assets: assets))
    count += assets.count
    guard count > Self.limit || changes.count > Self.limit else { return }
    // By halves, so that not every change moves all of them.
    var kept = changes.count
    while kept > 0, count > Self.limit / 2 || kept > Self.limit / 2 {
      let first = changes[changes.count - kept]
      count -= first.assets.count
      start = first.revision
      kept -= 1
    }
    changes.removeFirst(changes.count - kept)
  }

  /// The assets that were changed after a revision; nil where that is not known any more, or never was.
  package func since(_ revision: Int64, now: Int64) -> Set<AssetIdentifier>? {
    guard (start...max(start, now)).contains(revision) else { return nil }
    return changes.reduce(into: []) { if $1.revision > revision { $0.formUnion($1.assets) } }
  }
}
