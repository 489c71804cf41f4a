import Broker

/// All work on the database, on the store's thread.
final class Writer: Tables {
  let database: StateDatabase
  let lock: FolderLock
  var floor: EpochFloor
  var reserve: Reserve
  let ledger: LedgerTables
  let decisions: DecisionTables
  let assets: AssetTables
  let rights: RightsTables
  let changes: ChangeTables

  var epoch: UInt64 = 0
  /// Remarks on the start, for the daemon's log.
  var remarks: [String] = []
  /// Whether this start found no database.
  let isNew: Bool
  /// Whether removed libraries still have content to erase.
  var hasErasures = true

  init(
    database: StateDatabase, lock: consuming FolderLock, floor: consuming EpochFloor, reserve: consuming Reserve,
    ledgerQueue: LedgerQueue, isNew: Bool
  ) {
    self.database = database
    self.isNew = isNew
    self.lock = lock
    self.floor = floor
    self.reserve = reserve
    ledger = LedgerTables(database: database, queue: ledgerQueue)
    decisions = DecisionTables(database: database)
    assets = AssetTables(database: database)
    rights = RightsTables(database: database)
    changes = ChangeTables(database: database)
  }
}
