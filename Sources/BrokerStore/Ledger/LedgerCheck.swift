import Broker

struct LedgerCheck {
  private let library: Int64
  private let chain: LedgerChain
  private let finalHead: [UInt8]
  private let end: Int64
  private var head: [UInt8]
  private var first: Int64?
  private var next: Int64
  /// Whether bytes were delivered that no entry is about, though none was deleted for room.
  private var lacksDeliveries = false

  init(of name: LibraryName, _ writer: Writer) throws(SQLiteError) {
    writer.writeWaitingLedger()
    library = try writer.number(of: name)
    writer.database.cache.ledgers[library] = nil
    let state = try writer.ledger.state(of: library)
    chain = state.chain
    finalHead = state.head
    end = state.next
    next = state.first
    var anchor = LedgerChain.start
    try writer.each("SELECT anchor FROM ledgers WHERE library = ?", .integer(library)) { row throws(SQLiteError) in
      anchor = row.blob(0)
    }
    head = anchor
    guard end == 1 else { return }
    var lacks = false
    try writer.each("SELECT 1 FROM deliveries WHERE library = ? LIMIT 1", .integer(library)) { _ in lacks = true }
    lacksDeliveries = lacks
  }

  /// Checks up to `limit` further blocks; nil while blocks remain.
  mutating func step(_ writer: Writer, limit: Int) throws(SQLiteError) -> LedgerVerdict? {
    var seen = 0
    var damaged: Int64?
    var (head, next, first) = (head, next, first)
    try writer.each(
      """
      SELECT first, last, head, entries FROM ledger_blocks WHERE library = ? AND first >= ? AND first < ?
      ORDER BY first LIMIT ?
      """, .integer(library), .integer(next), .integer(end), SQLiteValue(limit)
    ) { row throws(SQLiteError) in
      guard damaged == nil else { return }
      seen += 1
      let entries = row.blob(3)
      let last = row.integer(1)
      let expected = try chain.head(after: head, first: row.integer(0), last: last, entries: entries)
      guard row.integer(0) == next, expected == row.blob(2), LedgerBlock.decode(entries)?.count == Int(last - next + 1)
      else {
        damaged = next
        return
      }
      first = first ?? next
      head = expected
      next = last + 1
    }
    (self.head, self.next, self.first) = (head, next, first)
    if let damaged { return .damaged(entry: damaged) }
    guard seen < limit else { return nil }
    guard next == end, head == finalHead, !lacksDeliveries else { return .damaged(entry: next) }
    return .intact(entries: Int(end - (first ?? end)))
  }
}
