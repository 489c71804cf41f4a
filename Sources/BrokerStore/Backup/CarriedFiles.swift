import PhotoModel

/// File records of the replaced state, for marked assets and for assets that were trashed or
/// restored after the backup. The backup's older records would not match a photo that was saved
/// again and moved since: the photo would be a new import, and visible (R13, R144).
struct CarriedFiles {
  /// An asset that both states know, with its key in each.
  struct Asset {
    let restored: Int64
    let present: Int64
    /// The marks that hide it from apps.
    let marks: Int64
  }

  /// A file of a library, identified by its locator or by its identity hint.
  private struct File: Hashable {
    let library: Int64
    let name: ExactText
    let isHint: Bool
  }

  private let assets: [Asset]
  private let present: Connection
  private let columns: (asset: [String], file: [String])

  /// Columns of an asset that belong to one state; all others describe its files.
  private static let own: Set<String> = ["id", "identifier", "added", "creator", "flags", "version"]
  /// Columns that show whether a file changed.
  private static let telling = ["place", "role", "locator", "size", "content_version", "identity_hint"]

  init(of assets: [Asset], from present: Connection) throws(SQLiteError) {
    self.assets = assets
    self.present = present
    columns = (
      try CarriedRow.columns(of: "assets", present).filter { !Self.own.contains($0) },
      try CarriedRow.columns(of: "resources", present)
    )
  }

  /// Replaces the file records of the backup. If another asset of the backup has one of these
  /// files, its records are replaced too. If the replaced state lacks that asset, it gets the marks
  /// instead.
  /// - Returns: the number of assets that got marks; nil if the replaced state cannot be read.
  func put(into restored: Connection) throws(SQLiteError) -> Int? {
    try restored.execute("BEGIN IMMEDIATE")
    var held: [File: Int64] = [:]
    for asset in assets {
      guard let files = try takeOver(asset.present, as: asset.restored, restored) else { return try giveUp(restored) }
      for file in files where asset.marks != 0 {
        for name in Self.names(file, in: CarriedAssets.library(of: asset.restored)) {
          held[name, default: 0] |= asset.marks
        }
      }
    }
    var count = 0
    let others = try holders(of: held, restored)
    guard let known = try? CarriedAssets.keys(of: Set(others.values.map(\.identifier)), in: present) else {
      return try giveUp(restored)
    }
    for (key, other) in others {
      if let asset = known[other.identifier] {
        guard try takeOver(asset, as: key, restored) != nil else { return try giveUp(restored) }
      } else {
        count += try restored.run(
          "UPDATE assets SET flags = flags | ?2, version = version + 1 WHERE id = ?1 AND flags & ?2 <> ?2",
          .integer(key),
          .integer(other.marks))
      }
    }
    try restored.execute("COMMIT")
    return count
  }

  private func giveUp(_ restored: Connection) throws(SQLiteError) -> Int? {
    try restored.execute("ROLLBACK")
    return nil
  }

  /// - Returns: the asset's files; nil if they cannot be read.
  private func takeOver(_ asset: Int64, as key: Int64, _ restored: Connection) throws(SQLiteError) -> [CarriedRow]? {
    guard let row = try? CarriedRow.read("assets", columns.asset, where: "id", is: asset, present).first,
      let files = try? CarriedRow.read("resources", columns.file, where: "asset", is: asset, present)
    else { return nil }
    let before = try CarriedRow.read("resources", Self.telling, where: "asset", is: key, restored)
    guard !files.elementsEqual(before, by: { $0.isEqual(to: $1, in: Self.telling) }) else { return files }
    try row.update("assets", where: ("id", key), restored)
    try restored.run("UPDATE assets SET version = version + 1 WHERE id = ?", .integer(key))
    try restored.run("DELETE FROM resources WHERE asset = ?", .integer(key))
    for file in files { try file.insert(into: "resources", with: ("asset", key), restored) }
    return files
  }

  /// Other assets of the backup that have one of these files, with the marks to set.
  private func holders(
    of held: [File: Int64], _ restored: Connection
  ) throws(SQLiteError) -> [Int64: (identifier: [UInt8], marks: Int64)] {
    guard !held.isEmpty else { return [:] }
    let taken = Set(assets.map(\.restored))
    var found: [Int64: (identifier: [UInt8], marks: Int64)] = [:]
    let files = try restored.statement(
      "SELECT asset, identifier, role, locator, identity_hint FROM resources JOIN assets ON assets.id = asset WHERE asset > 0"
    )
    defer { files.reset() }
    while try files.step() {
      let key = files.integer(0)
      guard !taken.contains(key), files.text(2) != ResourceRole.sidecar.rawValue else { continue }
      for name in Self.names(locator: files.text(3), hint: files.optionalText(4), in: key >> 32) {
        if let marks = held[name] { found[key, default: (files.blob(1), 0)].marks |= marks }
      }
    }
    return found
  }

  /// The locator and the identity hint of a file; none for a sidecar, because it is no photo.
  private static func names(_ file: CarriedRow, in library: Int64) -> [File] {
    guard let role = file.text("role"), role != ResourceRole.sidecar.rawValue, let locator = file.text("locator") else {
      return []
    }
    return names(locator: locator, hint: file.text("identity_hint"), in: library)
  }

  private static func names(locator: String, hint: String?, in library: Int64) -> [File] {
    [File(library: library, name: ExactText(locator), isHint: false)]
      + (hint.map { [File(library: library, name: ExactText($0), isHint: true)] } ?? [])
  }
}
