import Broker
import PhotoModel

/// The ledgers of deliveries, and the sums of them.
final class LedgerTables: Tables {
  let database: StateDatabase
  let queue: LedgerQueue
  /// Totals of deliveries by library and app.
  private var deliveries: [DeliveryKey: Delivered] = [:]

  init(database: StateDatabase, queue: LedgerQueue) {
    self.database = database
    self.queue = queue
  }

  /// Writes entries within the open transaction, except those of removed libraries.
  /// - Returns: the deliveries among them, for ``noteDelivered(_:)`` once they are durable.
  func write(_ entries: [LedgerQueue.Entry]) throws(SQLiteError) -> [DeliveryKey: Delivered] {
    guard !entries.isEmpty else { return [:] }
    var delivered: [DeliveryKey: Delivered] = [:]
    for (library, group) in Dictionary(grouping: entries, by: \.library) {
      guard let number = try optionalNumber(of: library) else { continue }
      var rest = group[...]
      while !rest.isEmpty {
        try append(rest.prefix(LedgerBlock.capacity).map(\.record), to: number)
        rest = rest.dropFirst(LedgerBlock.capacity)
      }
      try trim(of: number)
      for entry in group where entry.record.isDelivery {
        try note(entry.record, of: number, &delivered)
      }
    }
    for (key, sum) in delivered {
      try connected().run(
        """
        INSERT INTO deliveries (library, app, assets, bytes) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT DO UPDATE SET assets = assets + ?3, bytes = bytes + ?4
        """, .integer(key.library), .identifier(key.app.value), SQLiteValue(sum.assets), .integer(sum.bytes))
    }
    return delivered
  }

  /// The deliveries to an app, waiting entries included. Nothing is written for it, so a receipt
  /// does not wait for the disk.
  func delivered(of library: LibraryName, to app: AppIdentifier) throws(SQLiteError) -> Delivered {
    guard let number = try optionalNumber(of: library) else { return Delivered() }
    var sum = deliveries[DeliveryKey(library: number, app: app)] ?? Delivered()
    let waiting = queue.deliveries(of: library, to: app)
    sum.bytes &+= waiting.bytes
    let query = "SELECT 1 FROM delivered_assets WHERE library = ? AND app = ? AND asset = ?"
    for asset in waiting.assets
    where try first(query, .integer(number), .identifier(app), .identifier(asset), body: { _ in () }) == nil {
      sum.assets += 1
    }
    return sum
  }

  /// The deliveries to an app; nil: the sum over all apps, each counted for itself.
  func delivered(of library: LibraryName, to app: AppIdentifier?) throws(SQLiteError) -> Delivered {
    if let app { return try delivered(of: library, to: app) }
    guard let number = try optionalNumber(of: library) else { return Delivered() }
    let apps = Set(deliveries.keys.lazy.filter { $0.library == number }.map(\.app)).union(
      queue.recipients(of: library))
    var sum = Delivered()
    for app in apps {
      let one = try delivered(of: library, to: app)
      sum.assets += one.assets
      sum.bytes &+= one.bytes
    }
    return sum
  }

  func noteDelivered(_ sums: [DeliveryKey: Delivered]) {
    for (key, sum) in sums {
      deliveries[key, default: Delivered()].assets += sum.assets
      deliveries[key, default: Delivered()].bytes &+= sum.bytes
    }
  }

  /// The state of a library's ledger, which is created if needed.
  func state(of library: Int64) throws(SQLiteError) -> LedgerState {
    if let known = database.cache.ledgers[library] { return known }
    let connection = try connected()
    let key = try first("SELECT root_key FROM libraries WHERE id = ?", .integer(library)) { row in row.blob(0) }
    guard let key else { throw SQLiteError(.refused, "no such library") }
    let chain = try LedgerChain(rootKey: key)
    var state = LedgerState(first: 1, next: 1, anchor: LedgerChain.start, head: LedgerChain.start, chain: chain)
    let stored = try first("SELECT next_entry, anchor, head FROM ledgers WHERE library = ?", .integer(library)) { row in
      (row.integer(0), row.blob(1), row.blob(2))
    }
    if let stored {
      (state.next, state.anchor, state.head) = stored
      state.first = try firstEntry(of: library) ?? state.next
    } else {
      // The row was deleted by hand: its library was stored with one. An anchor that no trimming makes
      // never passes the check.
      state.anchor = []
      let last = try first("SELECT max(last) FROM ledger_blocks WHERE library = ?", .integer(library)) { $0.integer(0) }
      state.next = (last ?? 0) + 1
      state.first = state.next
      try connection.run(
        "INSERT INTO ledgers (library, next_entry, anchor, head, seal) VALUES (?, ?, ?, ?, x'')", .integer(library),
        .integer(state.next), .blob(state.anchor), .blob(state.head))
    }
    database.cache.ledgers[library] = state
    return state
  }

  func wasTrimmed(of library: LibraryName) throws(SQLiteError) -> Bool {
    guard let number = try optionalNumber(of: library) else { return false }
    return try firstEntry(of: number) ?? 1 > 1
  }

  private func firstEntry(of library: Int64) throws(SQLiteError) -> Int64? {
    try first("SELECT first FROM ledger_blocks WHERE library = ? ORDER BY first LIMIT 1", .integer(library)) { row in
      row.integer(0)
    }
  }

  /// Ledger blocks, newest first.
  func blocks(
    of library: LibraryName, before first: Int64, limit: Int
  ) throws(SQLiteError) -> [(first: Int64, records: [LedgerRecord])] {
    guard let number = try optionalNumber(of: library) else { return [] }
    return try rows(
      "SELECT first, entries FROM ledger_blocks WHERE library = ? AND first < ? ORDER BY first DESC LIMIT ?",
      .integer(number), .integer(first), SQLiteValue(limit)
    ) { row in
      // The check reports a block that is no longer readable; the others are listed.
      (first: row.integer(0), records: LedgerBlock.decode(row.blob(1)) ?? [])
    }
  }

  /// Deliveries under these tokens in the last day of a library's ledger, the oldest first. Those of an
  /// app before its latest pause by an allowance are left out, because they count no more.
  func recent(of library: LibraryName, under accessors: Set<Accessor>) throws(SQLiteError) -> [LedgerRecord] {
    guard !accessors.isEmpty, let number = try optionalNumber(of: library) else { return [] }
    var (found, latest, before) = ([LedgerRecord](), Int64.min, Int64.max)
    while true {
      let piece = try blocks(of: library, before: before, limit: SQLiteStore.pieceBlocks)
      var isOver = piece.isEmpty
      for block in piece {
        latest = max(latest, block.records.map(\.time.microseconds).max() ?? .min)
        let (from, overflow) = latest.subtractingReportingOverflow(86_400_000_000)
        let records = block.records.filter { overflow || $0.time.microseconds >= from }
        // Entries of a clock that was set back come after others with a later time.
        isOver = records.isEmpty && !block.records.isEmpty
        if isOver { break }
        found += records.reversed().lazy.filter { $0.isDelivery && accessors.contains($0.accessor) }
        before = block.first
      }
      if isOver { break }
    }
    guard let oldest = found.last else { return [] }
    var pauses: [AppIdentifier: Timestamp] = [:]
    try each(
      "SELECT app, max(time) FROM decisions WHERE library_number = ? AND id >= ? AND source = 'allowance' GROUP BY app",
      .integer(number), .integer(oldest.time.microseconds)
    ) { row throws(SQLiteError) in pauses[try row.app(0)] = row.time(1) }
    return found.reversed().filter { record in pauses[record.app].map { record.time > $0 } ?? true }
  }

  /// Reads the sums of deliveries at a start.
  func loadDeliveries() throws(SQLiteError) {
    deliveries = [:]
    try each("SELECT library, app, assets, bytes FROM deliveries") { row throws(SQLiteError) in
      deliveries[DeliveryKey(library: row.integer(0), app: try row.app(1))] = Delivered(
        assets: try row.number(2), bytes: row.integer(3))
    }
  }

  func forgetDeliveries(of library: Int64) { deliveries = deliveries.filter { $0.key.library != library } }

  private func append(_ records: [LedgerRecord], to library: Int64) throws(SQLiteError) {
    var state = try state(of: library)
    let entries = LedgerBlock.encode(records)
    let last = state.next + Int64(records.count) - 1
    let head = try state.chain.head(after: state.head, first: state.next, last: last, entries: entries)
    let connection = try connected()
    try connection.run(
      "INSERT INTO ledger_blocks (library, first, last, head, entries) VALUES (?, ?, ?, ?, ?)", .integer(library),
      .integer(state.next), .integer(last), .blob(head), .blob(entries))
    state.next = last + 1
    state.head = head
    try keep(state, of: library)
  }

  /// Deletes the oldest blocks as long as enough entries remain. The head of the last deleted block
  /// anchors the chain.
  private func trim(of library: Int64) throws(SQLiteError) {
    var state = try state(of: library)
    let connection = try connected()
    while state.next - state.first > Int64(database.options.ledgerCapacity) {
      let oldest = try first(
        "SELECT last, head FROM ledger_blocks WHERE library = ? ORDER BY first LIMIT 1", .integer(library)
      ) { row in (row.integer(0), row.blob(1)) }
      guard let (last, head) = oldest else { return }
      guard state.next - last - 1 >= Int64(database.options.ledgerCapacity) else { return }
      try connection.run(
        "DELETE FROM ledger_blocks WHERE library = ? AND first = ?", .integer(library), .integer(state.first))
      state.first = last + 1
      state.anchor = head
      try keep(state, of: library)
    }
  }

  private func keep(_ state: LedgerState, of library: Int64) throws(SQLiteError) {
    try connected().run(
      "UPDATE ledgers SET next_entry = ?, anchor = ?, head = ?, seal = ? WHERE library = ?", .integer(state.next),
      .blob(state.anchor), .blob(state.head),
      .blob(state.chain.seal(next: state.next, anchor: state.anchor, head: state.head)), .integer(library))
    database.cache.ledgers[library] = state
  }

  private func note(
    _ record: LedgerRecord, of library: Int64, _ delivered: inout [DeliveryKey: Delivered]
  ) throws(SQLiteError) {
    let isNew = try connected().run(
      "INSERT OR IGNORE INTO delivered_assets (library, app, asset) VALUES (?, ?, ?)", .integer(library),
      .identifier(record.app.value), .identifier(record.asset))
    let key = DeliveryKey(library: library, app: record.app)
    delivered[key, default: Delivered()].assets += isNew
    delivered[key, default: Delivered()].bytes &+= record.bytes
  }
}

extension LedgerRecord {
  /// Whether bytes of an asset were delivered; metadata, refused files and gaps do not count.
  var isDelivery: Bool { !isGap && rendition != "metadata" && rendition != Self.notCleaned }
}
