/// One page of a ledger, newest first.
package struct LedgerPage: Sendable {
  package var records: [LedgerRecord]
  /// The next page's `before`; nil: this is the last page.
  package var next: Int64?
  /// Whether older entries were deleted because of the ledger's limit.
  package var wasTrimmed: Bool

  package init(records: [LedgerRecord], next: Int64? = nil, wasTrimmed: Bool = false) {
    self.records = records
    self.next = next
    self.wasTrimmed = wasTrimmed
  }
}
