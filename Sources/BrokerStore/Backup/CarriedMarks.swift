import Catalogue

/// Marks and trash states of the replaced state, merged into the restored one. Assets that were
/// hidden or marked never-share after the backup stay so (R13, R144). Assets that were trashed
/// since exist only in the trash, and those restored since are no longer in it. Marks that were
/// removed since come back.
///
/// Marked assets that the backup lacks are taken over whole: as unknown files they would be
/// visible. Missing assets, whose keys are negative, are included.
struct CarriedMarks {
  private struct Asset {
    let key: Int64
    let flags: Int64
    let awaitsTrash: Bool
    /// Whether only the backup has it in the trash.
    var isBack = false
  }

  private static let marks = Int64(AssetFlags([.hidden, .neverShare]).rawValue)
  private static let trash = Int64(AssetFlags.trashed.rawValue)

  private var byIdentifier: [[UInt8]: Asset] = [:]

  init(from present: Connection, into restored: Connection) throws(SQLiteError) {
    let waiting = try Self.awaiting(present)
    let marked = try present.statement(
      "SELECT id, identifier, flags & iif(id > 0, ?1, ?2) AS kept FROM assets WHERE flags & ?1 <> 0 AND kept <> 0")
    try marked.bind(.integer(Self.marks | Self.trash), at: 1)
    try marked.bind(.integer(Self.marks), at: 2)
    while try marked.step() {
      let key = marked.integer(0)
      byIdentifier[marked.blob(1)] = Asset(key: key, flags: marked.integer(2), awaitsTrash: waiting.contains(key))
    }
    marked.reset()
    for (identifier, key) in try CarriedAssets.keys(of: Self.trashed(restored), in: present) {
      var asset = byIdentifier[identifier] ?? Asset(key: key, flags: 0, awaitsTrash: false)
      asset.isBack = asset.flags & Self.trash == 0
      byIdentifier[identifier] = asset
    }
  }

  private static func trashed(_ connection: Connection) throws(SQLiteError) -> Set<[UInt8]> {
    var found: Set<[UInt8]> = []
    let assets = try connection.statement("SELECT identifier FROM assets WHERE id > 0 AND flags & ? <> 0")
    defer { assets.reset() }
    try assets.bind(.integer(trash), at: 1)
    while try assets.step() { found.insert(assets.blob(0)) }
    return found
  }

  /// The keys of trashed assets whose files are not in the storage's trash yet.
  private static func awaiting(_ present: Connection) throws(SQLiteError) -> Set<Int64> {
    var found: Set<Int64> = []
    let waiting = try present.statement("SELECT asset FROM awaiting_trash")
    while try waiting.step() { found.insert(waiting.integer(0)) }
    waiting.reset()
    return found
  }

  /// Keys, in the replaced state, of assets that the backup lacks.
  func unknown(to restored: Connection) throws(SQLiteError) -> [Int64] {
    var unknown = byIdentifier
    let known = try restored.statement("SELECT identifier FROM assets")
    while try known.step() { unknown[known.blob(0)] = nil }
    known.reset()
    return unknown.values.map(\.key).sorted()
  }

  /// Assets that both states know, with the marks that hide them from apps.
  func known(to restored: Connection) throws(SQLiteError) -> [CarriedFiles.Asset] {
    var found: [CarriedFiles.Asset] = []
    let known = try restored.statement("SELECT id, identifier FROM assets")
    defer { known.reset() }
    while try known.step() {
      guard let asset = byIdentifier[known.blob(1)] else { continue }
      found.append(CarriedFiles.Asset(restored: known.integer(0), present: asset.key, marks: asset.flags & Self.marks))
    }
    return found
  }

  /// Sets marks and trash states of assets in the backup.
  func put(into restored: Connection) throws(SQLiteError) -> CarriedCount {
    var count = CarriedCount()
    var changed: [(key: Int64, asset: Asset, goesToTrash: Bool)] = []
    let known = try restored.statement("SELECT id, identifier, flags FROM assets")
    while try known.step() {
      guard let asset = byIdentifier[known.blob(1)] else { continue }
      let added = asset.flags & ~known.integer(2)
      if added & Self.marks != 0 { count.marked += 1 }
      if added & Self.trash != 0 { count.trashed += 1 }
      if asset.isBack { count.broughtBack += 1 }
      if added != 0 || asset.isBack { changed.append((known.integer(0), asset, added & Self.trash != 0)) }
    }
    known.reset()
    try restored.execute("BEGIN IMMEDIATE")
    for (key, asset, goesToTrash) in changed {
      try restored.run(
        "UPDATE assets SET flags = flags & ~?3 | ?2, version = version + 1 WHERE id = ?1", .integer(key),
        .integer(asset.flags),
        .integer(asset.isBack ? Self.trash : 0))
      // Its retention begins anew: by its old time it might soon be forgotten, and the marks with it.
      if key < 0 {
        try restored.run(
          "UPDATE away_assets SET since = max(since, unixepoch() * 1000000) WHERE asset = ?", .integer(key))
      }
      if asset.isBack {
        for table in ["awaiting_trash", "deletions"] {
          try restored.run("DELETE FROM \(table) WHERE asset = ?", .integer(key))
        }
      }
      if goesToTrash, asset.awaitsTrash {
        try restored.run("INSERT OR IGNORE INTO awaiting_trash (asset) VALUES (?)", .integer(key))
      }
    }
    try restored.execute("COMMIT")
    return count
  }

  /// Counts the assets that were taken over whole, and the lost ones.
  func count(_ keys: Set<Int64>, lost: Set<Int64>, into count: inout CarriedCount) {
    for asset in byIdentifier.values where keys.contains(asset.key) {
      if asset.flags & Self.marks != 0 { count.marked += 1 }
      if asset.flags & Self.trash != 0 { count.trashed += 1 }
    }
    count.unknown = lost.count
  }
}
