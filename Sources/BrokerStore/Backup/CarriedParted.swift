import Broker
import Catalogue
import PhotoModel

/// Detached files of the replaced state: files that left hidden or never-share assets. They are
/// withheld wherever they turn up (R13, R144). The backup may hold their assets without the marks.
struct CarriedParted {
  private static let pieceFiles = 500

  private let present: Connection
  private let rootKeys: [(number: Int64, rootKey: [UInt8])]

  init(from present: Connection) throws(SQLiteError) {
    self.present = present
    rootKeys = try CarriedAssets.libraries(present)
  }

  /// Adds the detached files to the same libraries, and marks the backup's assets that have one.
  /// - Returns: the number of assets that got marks; nil if the replaced state cannot be read.
  func put(into restored: Connection) throws(SQLiteError) -> Int? {
    let numbers = Dictionary(try CarriedAssets.libraries(restored).map { ($0.rootKey, $0.number) }) { first, _ in first
    }
    var marked = 0
    try restored.execute("BEGIN IMMEDIATE")
    for (before, rootKey) in rootKeys {
      guard let library = numbers[rootKey] else { continue }
      let first = try restored.nextParted(of: library)
      var (next, last) = (first, Int64(-1))
      var piece: [PartedFile] = []
      repeat {
        guard let more = try? read(before, after: last) else {
          try restored.execute("ROLLBACK")
          return nil
        }
        piece = more
        last = more.last?.number ?? last
        for file in piece where try !isKnown(file, in: library, of: restored, before: first) {
          try restored.put(file.carried(as: next), in: library)
          next += 1
        }
      } while !piece.isEmpty
      guard next > first else { continue }
      guard let count = try mark(in: library, from: first, restored) else {
        try restored.execute("ROLLBACK")
        return nil
      }
      marked += count
    }
    try restored.execute("COMMIT")
    return marked
  }

  private func read(_ library: Int64, after number: Int64) throws(SQLiteError) -> [PartedFile] {
    var found: [PartedFile] = []
    let files = try present.statement(
      "SELECT \(PartedFile.columns) FROM parted_files WHERE library = ? AND number > ? ORDER BY number LIMIT \(Self.pieceFiles)"
    )
    defer { files.reset() }
    try files.bind(.integer(library), at: 1)
    try files.bind(.integer(number), at: 2)
    while try files.step() { found.append(try files.partedFile()) }
    return found
  }

  private func isKnown(_ file: PartedFile, in library: Int64, of restored: Connection, before first: Int64)
    throws(SQLiteError) -> Bool
  {
    let known = try restored.statement(
      """
      SELECT 1 FROM parted_files INDEXED BY parted_by_name
      WHERE library = ? AND file_name = ? AND size = ? AND number < ? AND place IS ? AND identity_hint IS ? AND hash IS ?
        AND digest IS ? AND ends_digest IS ? AND is_missing >= ? AND marks & ?11 = ?11 AND place_ends IS ?
      """)
    defer { known.reset() }
    let values: [SQLiteValue] = [
      .integer(library), .text(file.filename), .integer(file.size), .integer(first), SQLiteValue(file.place),
      SQLiteValue(file.hint),
      SQLiteValue(file.hash), SQLiteValue(file.digest), SQLiteValue(file.endsDigest), SQLiteValue(file.isMissing),
      SQLiteValue(file.marks.rawValue), SQLiteValue(file.placeEnds?.microseconds),
    ]
    for (offset, value) in values.enumerated() { try known.bind(value, at: offset + 1) }
    return try known.step()
  }

  /// Marks assets that only the backup has and that own a detached file or its former place.
  private func mark(in library: Int64, from first: Int64, _ restored: Connection) throws(SQLiteError) -> Int? {
    var wanted: [Int64: (identifier: [UInt8], marks: Int64)] = [:]
    for (index, condition) in [
      ("parted_by_hint", "identity_hint = resources.identity_hint"), ("parted_by_place", "place = resources.locator"),
      ("parted_by_hash", "hash = content_version AND parted_files.size = resources.size"),
      ("parted_by_digest", "digest = resources.digest AND parted_files.size = resources.size"),
      ("parted_by_ends", "ends_digest = resources.ends_digest AND parted_files.size = resources.size"),
    ] {
      let found = try restored.statement(
        """
        SELECT assets.id, identifier, marks FROM resources
          CROSS JOIN parted_files INDEXED BY \(index)
            ON library = ?1 AND parted_files.\(condition) AND is_missing = 1 AND number >= ?2
          CROSS JOIN assets ON assets.id = resources.asset
        WHERE resources.asset >= ?1 << 32 AND resources.asset < (?1 + 1) << 32 AND role <> 'sidecar'
        """)
      defer { found.reset() }
      try found.bind(.integer(library), at: 1)
      try found.bind(.integer(first), at: 2)
      while try found.step() { wanted[found.integer(0), default: (found.blob(1), 0)].marks |= found.integer(2) }
    }
    guard !wanted.isEmpty else { return 0 }
    guard let present = try? CarriedAssets.keys(of: Set(wanted.values.map(\.identifier)), in: present) else {
      return nil
    }
    var count = 0
    for (key, asset) in wanted where present[asset.identifier] == nil {
      count += try restored.run(
        "UPDATE assets SET flags = flags | ?2, version = version + 1 WHERE id = ?1 AND flags & ?2 <> ?2", .integer(key),
        .integer(asset.marks))
    }
    return count
  }
}

extension PartedFile {
  /// The file under a number of the restored state. Its asset's number means nothing there, so its
  /// own marks apply.
  fileprivate func carried(as number: Int64) -> Self {
    Self(
      number: number, asset: nil, marks: marks, place: place, filename: filename, size: size, hint: hint, hash: hash,
      digest: digest,
      endsDigest: endsDigest, isMissing: isMissing, placeEnds: placeEnds)
  }
}
