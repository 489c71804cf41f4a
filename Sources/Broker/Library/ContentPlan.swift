import Catalogue
import PhotoModel

/// A planned change: the changes to store, and the work after their commit.
struct ContentPlan {
  static let pieceCount = 128

  var changes: [StoreChange] = []
  var records: [ChangeRecord] = []
  /// Assets that become invisible: hidden, never-shared, trashed or missing.
  var taken: [AssetNumber] = []
  /// Assets that become invisible to limited views only, because they became cloud-shared.
  var takenFromLimited: [AssetNumber] = []
  /// Changed assets, of any number. They are applied before everything else, in pieces that each
  /// act as a change of their own. Their store changes are in `changes`.
  private(set) var rows: [ChangedRow] = []
  var didPut: (AssetRow) -> Void = { _ in }
  var apply: () -> Void = {}
  /// Assets whose places in live selections are decided again, with their paths as far as known.
  var reviewed: [(AssetNumber, String?)] = []
  /// Assets that join grants' selections with this plan.
  var joined: [GrantKey: [AssetNumber]] = [:]
  /// Ends the moves of live selections, after everything else or a failed commit.
  var moved: (_ isKept: Bool) -> Void = { _ in }

  /// - Parameter edited: the fields that become edited ones.
  mutating func change(
    _ rows: [ChangedRow], in library: LibraryName, edited: (AssetNumber) -> EditedFields
  ) {
    guard !rows.isEmpty else { return }
    self.rows += rows
    for changed in rows { changes.append(.updateRow(library, changed.row, edited: edited(changed.row.number))) }
    let records = rows.compactMap(\.record)
    if !records.isEmpty { changes.append(.appendChanges(library, records)) }
  }

  mutating func expect(_ count: Int) {
    rows.reserveCapacity(count)
    changes.reserveCapacity(count + count / Self.pieceCount + 8)
  }
}

/// A changed asset in a plan.
struct ChangedRow {
  let row: AssetRow
  /// Whether it becomes invisible.
  let isTaken: Bool
  /// Nil: nothing visible changed, so nobody is told.
  let record: ChangeRecord?
}
