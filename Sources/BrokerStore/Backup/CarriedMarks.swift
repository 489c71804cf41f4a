import Catalogue

/// The marks that keep assets from apps, taken over from the state that a backup replaces: what was hidden, or never to be shared,
/// since the backup was made stays so (R13, R144). What was shown again since is as it was.
struct CarriedMarks {
  private static let flags = AssetFlags([.hidden, .neverShare]).rawValue

  private var byAsset: [[UInt8]: Int64] = [:]

  init(from present: Connection) throws(SQLiteError) {
    let marked = try present.statement("SELECT identifier, flags & ?1 FROM assets WHERE flags & ?1 <> 0")
    try marked.bind(SQLiteValue(Self.flags), at: 1)
    while try marked.step() { byAsset[marked.blob(0)] = marked.integer(1) }
    marked.reset()
  }

  /// Marks what is in the backup as well.
  /// - Returns: how many assets that changed.
  func put(into restored: Connection) throws(SQLiteError) -> Int {
    var missing: [(id: Int64, flags: Int64)] = []
    let known = try restored.statement("SELECT id, identifier, flags FROM assets")
    while try known.step() {
      guard let flags = byAsset[known.blob(1)], known.integer(2) & flags != flags else { continue }
      missing.append((known.integer(0), flags))
    }
    known.reset()
    try restored.execute("BEGIN IMMEDIATE")
    for asset in missing {
      try restored.run(
        "UPDATE assets SET flags = flags | ?2, version = version + 1 WHERE id = ?1", SQLiteValue(asset.id), SQLiteValue(asset.flags))
    }
    try restored.execute("COMMIT")
    return missing.count
  }
}
