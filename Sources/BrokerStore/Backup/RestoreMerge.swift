import Broker
import Catalogue
import PhotoModel

/// The restrictions of the replaced state, merged into the restored one (R13, R17, R126, R127,
/// R144): marks, removed apps, revoked tokens and declined invitations. Nothing else is merged.
package struct RestoreMerge: Sendable, Equatable {
  /// A restored grant that differs from the one in the replaced state.
  package struct Grant: Sendable, Equatable {
    package let library: String
    /// The app's identifier as it claims it.
    package let app: String
    package let user: Int64
    package let level: String
    package let status: String
    /// Its status in the replaced state; nil: none.
    package let before: String?
  }

  /// Assets that were hidden or marked never-share after the backup, and stay so.
  package var marked = 0
  /// Marked assets in libraries that the backup lacks; they were not taken over.
  package var unknown = 0
  /// Apps that were removed after the backup, and stay so.
  package var removedApps = 0
  /// Tokens that were revoked after the backup, and stay so.
  package var revokedTokens = 0
  /// Grants for their owners to look through, at most 100.
  package var grants: [Grant] = []
}

extension RestoreMerge {
  private static let (hidden, neverShare) = (AssetFlags.hidden.rawValue, AssetFlags.neverShare.rawValue)
  private static let marks = AssetFlags.withheld.rawValue
  /// Libraries of both states. A root key identifies a library in both.
  private static let libraries = "present.libraries AS theirs JOIN main.libraries AS ours USING (root_key)"

  /// Merges the state at `path`, in one transaction.
  /// - Parameter floor: the folder's epoch floor. A state with another floor file or an older epoch
  ///   is itself a copy that may lack marks and revocations.
  init(of path: String, into restored: SQLiteConnection, beside floor: borrowing EpochFloor) throws(SQLiteError) {
    self.init()
    try restored.run("ATTACH ? AS present", .text(path))
    try restored.execute("BEGIN")
    let epoch = try Self.epoch(restored, beside: floor)
    try mergeMarks(restored)
    try mergeApps(restored, isCurrent: epoch != nil)
    try mergeAnswers(restored)
    try readGrants(restored)
    try Self.note(epoch, in: restored)
    try restored.execute("COMMIT")
  }

  /// The epoch up to which the replaced state knows all restrictions; nil if it may lack some.
  private static func epoch(_ restored: SQLiteConnection, beside floor: borrowing EpochFloor) throws(SQLiteError)
    -> UInt64?
  {
    let found = try restored.first(
      "SELECT value FROM present.settings WHERE name = ?", .text(SettingName.epochFloor)
    ) { row in UInt64(row.text(0)) ?? 0 }
    let known = try restored.first("SELECT floor_inode, floor_born FROM present.run") { row in
      EpochFloor.Identity(inode: row.integer(0), born: row.integer(1))
    }
    let epoch = found ?? 0
    return known == floor.identity && floor.found ?? 0 <= epoch ? epoch : nil
  }

  // MARK: Marks

  /// Adds marks to assets of the same identifier. Files of marked assets that the backup does not
  /// have marked become detached files, so that the next scan marks the assets that have them.
  private mutating func mergeMarks(_ restored: SQLiteConnection) throws(SQLiteError) {
    let marked =
      "SELECT identifier, flags & \(Self.marks) AS marks, id FROM present.assets WHERE flags & \(Self.marks) <> 0"
    self.marked += try restored.run(
      """
      UPDATE main.assets SET flags = assets.flags | found.marks, version = version + 1 FROM (\(marked)) AS found
      WHERE found.identifier = assets.identifier AND assets.flags & found.marks <> found.marks
      """)
    // The retention of missing assets begins anew: they might be forgotten soon, and the marks with
    // them.
    try restored.run(
      """
      UPDATE main.missing_assets SET since = max(since, unixepoch() * 1000000)
      WHERE asset IN (SELECT id FROM main.assets WHERE flags & \(Self.marks) <> 0)
      """)
    try restored.each(
      """
      SELECT count(*) FILTER (WHERE theirs.id IS NOT NULL), count(*) FILTER (WHERE theirs.id IS NULL)
      FROM (\(marked)) AS found LEFT JOIN (SELECT theirs.id FROM \(Self.libraries)) AS theirs
        ON theirs.id = found.id >> 32
      WHERE identifier NOT IN (SELECT identifier FROM main.assets)
      """
    ) { row in
      self.marked += Int(row.integer(0))
      unknown = Int(row.integer(1))
    }
    try restored.execute("CREATE TEMP TABLE lost AS \(Self.files(of: "present")) EXCEPT \(Self.files(of: "main"))")
    try restored.run(
      """
      INSERT INTO main.detached_files (number, \(Self.fileColumns))
      SELECT (SELECT ifnull(max(number), -1) FROM main.detached_files AS known WHERE known.library = lost.library)
        + row_number() OVER (PARTITION BY library), \(Self.fileColumns) FROM lost
      """)
    let found = [
      "lost.identity_hint = resources.identity_hint", "lost.place = resources.locator",
      "lost.hash = resources.content_version AND lost.size = resources.size",
      "lost.digest = resources.digest AND lost.size = resources.size",
      "lost.ends_digest = resources.ends_digest AND lost.size = resources.size",
    ].map {
      """
      SELECT resources.asset, marks FROM main.resources JOIN lost ON library = resources.asset >> 32 AND \($0)
      WHERE lost.is_missing = 1 AND role <> 'sidecar'
      """
    }.joined(separator: " UNION ALL ")
    // The replaced state has the marks of all assets that it knows.
    self.marked += try restored.run(
      """
      UPDATE main.assets SET flags = flags | found.marks, version = version + 1
      FROM (SELECT asset, max(marks & \(Self.hidden)) | max(marks & \(Self.neverShare)) AS marks
        FROM (\(found)) GROUP BY asset) AS found
      WHERE id = found.asset AND flags & found.marks <> found.marks
        AND identifier NOT IN (SELECT identifier FROM present.assets)
      """)
  }

  private static let fileColumns =
    "library, marks, place, file_name, size, identity_hint, hash, digest, ends_digest, is_missing, place_ends"

  /// SQL for a state's detached files and the files of its marked assets, for libraries of the
  /// restored state.
  private static func files(of state: String) -> String {
    """
    SELECT ours.id AS \(fileColumns) FROM (
      SELECT assets.id >> 32 AS library, flags & \(marks) AS marks, locator AS place, resources.file_name, size,
        identity_hint, iif(content_version GLOB 'hash:*', content_version, NULL) AS hash, digest, ends_digest,
        1 AS is_missing, NULL AS place_ends
      FROM \(state).assets JOIN \(state).resources ON resources.asset = assets.id
      WHERE flags & \(marks) <> 0 AND role <> 'sidecar'
      UNION ALL SELECT \(fileColumns) FROM \(state).detached_files
    ) AS files JOIN \(state).libraries AS theirs ON theirs.id = files.library
      JOIN main.libraries AS ours ON ours.root_key = theirs.root_key
    """
  }

  // MARK: Apps and people

  /// - Parameter isCurrent: whether a token that the replaced state lacks was revoked.
  private mutating func mergeApps(_ restored: SQLiteConnection, isCurrent: Bool) throws(SQLiteError) {
    removedApps = try restored.run("DELETE FROM main.apps WHERE identifier IN (SELECT app FROM present.former_apps)")
    try restored.run("DELETE FROM main.picker_uses WHERE app IN (SELECT app FROM present.former_apps)")
    try restored.run(
      """
      INSERT OR REPLACE INTO main.former_apps (app, claimed, uid, others)
      SELECT app, claimed, uid, others FROM present.former_apps ORDER BY id
      """)
    try restored.run(
      """
      INSERT INTO main.token_budgets (accessor, key, taken)
      SELECT accessor, key, taken FROM present.token_budgets WHERE accessor IN (SELECT accessor FROM main.tokens)
      ON CONFLICT DO UPDATE SET taken = max(taken, excluded.taken)
      """)
    guard isCurrent else { return }
    revokedTokens = try restored.run(
      """
      UPDATE main.tokens SET is_revoked = 1
      WHERE is_revoked = 0 AND accessor NOT IN (SELECT accessor FROM present.tokens WHERE is_revoked = 0)
      """)
  }

  /// Offers that were declined since stay declined. An acceptance that was taken back since does
  /// not hold.
  private func mergeAnswers(_ restored: SQLiteConnection) throws(SQLiteError) {
    let theirs = """
      SELECT ours.id, role, uid FROM present.library_invitations JOIN \(Self.libraries)
      WHERE theirs.id = library AND state =
      """
    try restored.run(
      """
      UPDATE main.library_invitations SET state = 'offered'
      WHERE state = 'accepted' AND library IN (SELECT ours.id FROM \(Self.libraries))
        AND (library, role, uid) NOT IN (\(theirs) 'accepted')
      """)
    try restored.run(
      """
      INSERT INTO main.library_invitations (library, role, uid, state, is_open)
      SELECT *, 'declined', 0 FROM (\(theirs) 'declined') WHERE true
      ON CONFLICT DO UPDATE SET state = 'declined'
      """)
    // Users may then be listed twice. The broker reads the list as a set.
    try restored.run(
      """
      INSERT INTO main.settings (name, value) SELECT name, value FROM present.settings WHERE name GLOB ? AND value <> ''
      ON CONFLICT (name) DO UPDATE SET value = value || ',' || excluded.value
      """, .text(SettingName.declines + "*"))
    // The replaced state knows the latest denials and dismissals.
    try restored.run(
      "INSERT OR REPLACE INTO main.settings SELECT name, value FROM present.settings WHERE name GLOB ?",
      .text(SettingName.backoff + "*"))
  }

  // MARK: For the owners' review

  private mutating func readGrants(_ restored: SQLiteConnection) throws(SQLiteError) {
    func name(_ status: Int64) -> String { AuthorizationStatus(rawValue: Int(status))?.name ?? "" }
    let selection = "SELECT chunk, members FROM"
    try restored.each(
      """
      SELECT libraries.name, claimed, apps.uid, mine.level, mine.status, other.status FROM main.grants AS mine
        JOIN main.libraries ON libraries.id = mine.library JOIN main.apps ON apps.identifier = mine.app
        LEFT JOIN present.libraries AS theirs USING (root_key)
        LEFT JOIN present.grants AS other
          ON other.library = theirs.id AND other.app = mine.app AND other.level = mine.level
      WHERE mine.status IN (?, ?)
        AND ((mine.status, mine.is_paused, mine.expires, mine.is_once, mine.album_policy, mine.terms)
            IS NOT (other.status, other.is_paused, other.expires, other.is_once, other.album_policy, other.terms)
          OR EXISTS (
            \(selection) main.selections WHERE library = mine.library AND app = mine.app AND level = mine.level
            EXCEPT \(selection) present.selections
              WHERE library = theirs.id AND app = mine.app AND level = mine.level))
      ORDER BY 1, 2, 3, 4 LIMIT 100
      """, [.limited, .authorized].map { (status: AuthorizationStatus) in .integer(Int64(status.rawValue)) }
    ) { row in
      grants.append(
        Grant(
          library: row.text(0), app: row.text(1), user: row.integer(2), level: row.text(3),
          status: name(row.integer(4)),
          before: row.optionalInteger(5).map(name)))
    }
  }

  // MARK: The note for the next start

  /// Whether no daemon has started since the restore that wrote this state.
  static func isNoted(in connection: SQLiteConnection) throws(SQLiteError) -> Bool {
    let query = "SELECT 1 FROM settings WHERE name = ? AND value <> ''"
    return try connection.first(query, .text(SettingName.restored), body: { _ in () }) != nil
  }

  /// Notes the libraries whose marks the replaced state knew, unless their owners had yet to confirm
  /// them there.
  private static func note(_ epoch: UInt64?, in restored: SQLiteConnection) throws(SQLiteError) {
    let names = try restored.rows(
      """
      SELECT ours.name FROM \(libraries)
      WHERE NOT EXISTS (SELECT 1 FROM present.settings WHERE settings.name = ? || theirs.name AND value <> '')
      """, .text(SettingName.unknownMarks)
    ) { row in row.text(0) }
    try note("\(epoch ?? 0) \(names.joined(separator: ","))", in: restored)
  }

  /// - Parameter text: see ``SettingName/restored``.
  static func note(_ text: String, in restored: SQLiteConnection) throws(SQLiteError) {
    try restored.run(
      "INSERT OR REPLACE INTO main.settings (name, value) VALUES (?, ?)", .text(SettingName.restored), .text(text))
  }
}
