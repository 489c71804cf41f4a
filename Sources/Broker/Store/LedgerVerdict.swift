/// The result of a ledger check.
package enum LedgerVerdict: Sendable, Equatable {
  /// Every entry is as it was written, and none is missing.
  case intact(entries: Int)
  /// The seals do not match from this entry on: an entry was edited, removed or inserted.
  case damaged(entry: Int64)
}
