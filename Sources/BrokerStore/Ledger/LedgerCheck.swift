import Broker

struct LedgerCheck {
  /// Entries after which a piece ends, so that others do not wait for it.
  private static let pieceEntries = 4_096

  private let library: Int64
  private let chain: LedgerChain
  private let finalHead: [UInt8]
  private let end: Int64
  private var head: [UInt8]
  private var first: Int64
  private var next: Int64
  /// The first wrong entry, if the ledger's row or the blocks behind its end are wrong.
  private var damaged: Int64?

  init(of name: LibraryName, _ writer: Writer) throws(SQLiteError) {
    writer.writeWaitingLedger()
    library = try writer.number(of: name)
    writer.database.cache.ledgers[library] = nil
    let state = try writer.ledger.state(of: library)
    chain = state.chain
    finalHead = state.head
    end = state.next
    (first, next, head) = (state.first, state.first, state.anchor)
    let seal = try chain.seal(next: end, anchor: state.anchor, head: state.head)
    let stored = try writer.first("SELECT seal FROM ledgers WHERE library = ?", .integer(library)) { $0.blob(0) }
    if stored != seal { damaged = state.first }
    let beyond = "SELECT first FROM ledger_blocks WHERE library = ? AND first >= ? LIMIT 1"
    let forged = try writer.first(beyond, .integer(library), .integer(end)) { row in row.integer(0) }
    damaged = damaged ?? forged
  }

  /// Checks up to `limit` further blocks; nil while blocks remain.
  mutating func step(_ writer: Writer, limit: Int) throws(SQLiteError) -> LedgerVerdict? {
    if let damaged { return .damaged(entry: damaged) }
    // Blocks that were deleted for room since the last piece need no check.
    let state = try writer.ledger.state(of: library)
    if state.first > next { (first, next, head) = (state.first, state.first, state.anchor) }
    var (seen, isFull) = (0, false)
    var damaged: Int64?
    var (head, next) = (head, next)
    let begin = next
    try writer.each(
      """
      SELECT first, last, head, entries FROM ledger_blocks WHERE library = ? AND first >= ? AND first < ?
      ORDER BY first LIMIT ?
      """, .integer(library), .integer(next), .integer(end), SQLiteValue(limit)
    ) { row throws(SQLiteError) in
      isFull = isFull || next - begin >= Self.pieceEntries
      guard damaged == nil, !isFull else { return }
      seen += 1
      let entries = row.blob(3)
      let last = row.integer(1)
      let expected = try chain.head(after: head, first: row.integer(0), last: last, entries: entries)
      guard row.integer(0) == next, expected == row.blob(2), LedgerBlock.decode(entries)?.count == Int(last - next + 1)
      else {
        damaged = next
        return
      }
      head = expected
      next = last + 1
    }
    (self.head, self.next) = (head, next)
    if let damaged { return .damaged(entry: damaged) }
    guard seen < limit, !isFull else { return nil }
    guard next == end, head == finalHead else { return .damaged(entry: next) }
    return .intact(entries: Int(end - first))
  }
}
