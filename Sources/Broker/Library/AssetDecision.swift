import Catalogue

/// The actions of decisions about a single asset.
enum AssetDecision: String {
  case added = "addPhoto"
  case edited = "editPhoto"
  case deleted = "deletePhoto"
  case reset = "resetPhoto"
  case undone = "undo"
}

extension Decider {
  /// A decision about an asset. Administrators read decisions too, so its words have no value and
  /// no field.
  func decide(
    _ action: AssetDecision, _ change: ValueChange<AssetValues?>, _ row: AssetRow, of app: AppIdentifier? = nil,
    in library: LibraryState, undoing earlier: UInt64? = nil, number: DecisionNumber? = nil
  ) -> StoreChange {
    .decide(
      DecisionRecord(
        time: library.environment.now, by: self, action: action.rawValue, library: library.record.name, app: app,
        before: "", after: DecisionRecord.words(of: row.identifier), undoes: earlier),
      change: DecisionChange(.asset(change)), number: number)
  }
}
