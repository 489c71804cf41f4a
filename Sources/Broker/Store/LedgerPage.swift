/// Some entries of a ledger, newest first.
package struct LedgerPage: Sendable {
  package var records: [LedgerRecord]
  /// For the page after this one; nil: this was the last.
  package var next: Int64?
  /// Whether the ledger held older entries that it let go to stay within its limit.
  package var wasTrimmed: Bool

  package init(records: [LedgerRecord], next: Int64? = nil, wasTrimmed: Bool = false) {
    self.records = records
    self.next = next
    self.wasTrimmed = wasTrimmed
  }
}
