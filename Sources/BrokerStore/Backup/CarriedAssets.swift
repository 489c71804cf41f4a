/// Assets of the replaced state with their files, to add to the restored one. Missing assets have
/// negative keys.
struct CarriedAssets {
  private struct Asset {
    let key: Int64
    let row: CarriedRow
    let files: [CarriedRow]
    let awaitsTrash: Bool
    /// The record of when it went missing; nil for an asset in the library.
    let away: CarriedRow?
  }
  private var assets: [Asset] = []
  /// Root keys by library number. A root key identifies a library in both states.
  private let rootKeys: [Int64: [UInt8]]

  init(_ keys: [Int64], from present: Connection) throws(SQLiteError) {
    rootKeys = Dictionary(try Self.libraries(present).map { ($0.number, $0.rootKey) }) { first, _ in first }
    let (columns, ofFiles) = (
      try CarriedRow.columns(of: "assets", present), try CarriedRow.columns(of: "resources", present)
    )
    let ofAway = try CarriedRow.columns(of: "away_assets", present)
    for key in keys {
      guard let row = try CarriedRow.read("assets", columns, where: "id", is: key, present).first else { continue }
      let files = try CarriedRow.read("resources", ofFiles, where: "asset", is: key, present)
      let waiting = try CarriedRow.read("awaiting_trash", ["asset"], where: "asset", is: key, present)
      let away = key < 0 ? try CarriedRow.read("away_assets", ofAway, where: "asset", is: key, present).first : nil
      assets.append(Asset(key: key, row: row, files: files, awaitsTrash: !waiting.isEmpty, away: away))
    }
  }

  /// Adds the assets to the same libraries under new numbers, before a scan can import their files.
  /// - Returns: the keys of the added assets. Assets of libraries that the backup lacks are
  ///   skipped.
  func put(into restored: Connection) throws(SQLiteError) -> Set<Int64> {
    let numbers = Dictionary(try Self.libraries(restored).map { ($0.rootKey, $0.number) }) { first, _ in first }
    var taken: Set<Int64> = []
    try restored.execute("BEGIN IMMEDIATE")
    for asset in assets {
      guard let rootKey = rootKeys[Self.library(of: asset.key)], let library = numbers[rootKey] else { continue }
      guard let number = try Self.number("SELECT next_number FROM libraries WHERE id = ?", library, restored),
        number < 1 << 32
      else { continue }
      try restored.run("UPDATE libraries SET next_number = next_number + 1 WHERE id = ?", .integer(library))
      let key = (library << 32 | number) &* asset.key.signum()
      try asset.row.insert(into: "assets", with: ("id", key), restored)
      for file in asset.files { try file.insert(into: "resources", with: ("asset", key), restored) }
      if let away = asset.away {
        try away.insert(into: "away_assets", with: ("asset", key), restored)
        try restored.run("UPDATE away_assets SET library = ? WHERE asset = ?", .integer(library), .integer(key))
      }
      if asset.awaitsTrash { try restored.run("INSERT INTO awaiting_trash (asset) VALUES (?)", .integer(key)) }
      taken.insert(asset.key)
    }
    try restored.execute("COMMIT")
    return taken
  }

  /// The library's number in an asset's key; any number for a damaged key.
  static func library(of key: Int64) -> Int64 { Int64(key.magnitude >> 32) }

  static func libraries(_ connection: Connection) throws(SQLiteError) -> [(number: Int64, rootKey: [UInt8])] {
    var found: [(number: Int64, rootKey: [UInt8])] = []
    let libraries = try connection.statement("SELECT id, root_key FROM libraries")
    defer { libraries.reset() }
    while try libraries.step() { found.append((libraries.integer(0), libraries.blob(1))) }
    return found
  }

  static func keys(of identifiers: Set<[UInt8]>, in connection: Connection) throws(SQLiteError) -> [[UInt8]: Int64] {
    guard !identifiers.isEmpty else { return [:] }
    var found: [[UInt8]: Int64] = [:]
    let assets = try connection.statement("SELECT id, identifier FROM assets WHERE id > 0")
    defer { assets.reset() }
    while try assets.step() {
      let identifier = assets.blob(1)
      if identifiers.contains(identifier) { found[identifier] = assets.integer(0) }
    }
    return found
  }

  private static func number(_ query: String, _ key: Int64, _ connection: Connection) throws(SQLiteError) -> Int64? {
    let found = try connection.statement(query)
    defer { found.reset() }
    try found.bind(.integer(key), at: 1)
    return try found.step() ? found.integer(0) : nil
  }
}
