import Broker

/// Apps' own tokens that the replaced state knows as valid. Without them, apps removed after the
/// backup would look like all others. All apps would have to introduce themselves again, and
/// resumed grants would belong to apps that no longer exist (R17, R144).
struct CarriedTokens {
  private var own: Set<String> = []
  /// The epoch up to which this state knows all revocations.
  private var epoch: UInt64 = 0

  init() {}

  /// - Parameter floor: the folder's epoch floor. A state with another floor file or an older epoch
  ///   is itself a copy that may lack revocations, so its tokens are not taken over.
  init(from present: Connection, beside floor: borrowing EpochFloor) throws(SQLiteError) {
    let setting = try present.statement("SELECT value FROM settings WHERE name = ?")
    try setting.bind(.text(SettingName.epochFloor), at: 1)
    epoch = try setting.step() ? UInt64(setting.text(0)) ?? 0 : 0
    setting.reset()
    let run = try present.statement("SELECT floor_inode, floor_born FROM run")
    let known = try run.step() ? EpochFloor.Identity(inode: run.integer(0), born: run.integer(1)) : nil
    run.reset()
    guard known == floor.identity, floor.found ?? 0 <= epoch else {
      epoch = 0
      return
    }
    own = try Self.own(in: present)
  }

  private static func own(in connection: Connection) throws(SQLiteError) -> Set<String> {
    let tokens = try connection.statement(
      "SELECT lower(hex(apps.accessor)) FROM apps JOIN tokens ON tokens.accessor = apps.accessor WHERE is_revoked = 0")
    defer { tokens.reset() }
    var found: Set<String> = []
    while try tokens.step() { found.insert(tokens.text(0)) }
    return found
  }

  /// Whether no daemon has started since the restore that wrote this state.
  static func isNoted(in connection: Connection) throws(SQLiteError) -> Bool {
    let note = try connection.statement("SELECT value FROM settings WHERE name = ? AND value <> ''")
    defer { note.reset() }
    try note.bind(.text(SettingName.keptTokens), at: 1)
    return try note.step()
  }

  /// Leaves a note for the next start, which uses it only if the replaced state knew all
  /// revocations.
  func put(into restored: Connection) throws(SQLiteError) {
    let kept = try own.intersection(Self.own(in: restored)).sorted().joined(separator: ",")
    try restored.run(
      "INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", .text(SettingName.keptTokens),
      .text("\(epoch) \(kept)"))
  }
}
