/// What came of checking a ledger.
package enum LedgerVerdict: Sendable, Equatable {
  /// Every entry is as it was written, none is missing.
  case intact(entries: Int)
  /// The seals do not fit from this entry on: something was edited, taken out, or put in.
  case damaged(entry: Int64)
}
