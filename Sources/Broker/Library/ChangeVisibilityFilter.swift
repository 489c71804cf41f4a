import Catalogue
import PhotoModel

/// Selects the log entries that a grant could see, before or after the change.
///
/// It walks the log backwards from the present state, reconstructing each asset's earlier states. A
/// large edit has an entry for each photo, so an entry costs a lookup or two, and invisible assets
/// use no memory.
struct ChangeVisibilityFilter {
  private struct State {
    /// Whether it is in the library and not hidden from this kind of view.
    var isPresent: Bool
    var isSelected: Bool
    var isVisible: Bool { isPresent && isSelected }
  }

  private let key: GrantKey
  private let isFull: Bool
  private let selection: Selection
  private let catalogue: Catalogue
  /// Assets' states at the present point of the walk, for assets that entries moved.
  private var states: [AssetNumber: State] = [:]

  init(of grant: GrantState, catalogue: Catalogue) {
    key = grant.record.key
    isFull = grant.record.status == .authorized
    selection = grant.selection
    self.catalogue = catalogue
  }

  /// The visible entries, in order, with the kind that they have for this view.
  mutating func seen(of entries: ArraySlice<ChangeRecord>) -> [ChangeRecord] {
    if !isFull { noteMoves(of: entries) }
    var seen: [ChangeRecord] = []
    for index in entries.indices.reversed() {
      guard let asset = entries[index].asset, let kind = kind(of: entries[index]) else { continue }
      guard sees(kind, asset) else { continue }
      seen.append(entries[index])
      seen[seen.count - 1].kind = kind
    }
    seen.reverse()
    return seen
  }

  /// Notes assets that entered or left the selection, because they may have been visible at any
  /// point. All other assets are visible only if they are selected now.
  private mutating func noteMoves(of entries: ArraySlice<ChangeRecord>) {
    for index in entries.indices where entries[index].grant == key {
      guard let asset = entries[index].asset, states[asset] == nil else { continue }
      states[asset] = now(asset)
    }
  }

  /// The kind of an entry for this view; nil: invisible, or of another grant's selection.
  private func kind(of entry: ChangeRecord) -> ChangeRecord.Kind? {
    guard entry.grant == nil || (!isFull && entry.grant == key) else { return nil }
    return entry.kind.seen(isLimited: !isFull)
  }

  /// Whether an entry's asset was visible before or after it. Steps the asset's state back.
  private mutating func sees(_ kind: ChangeRecord.Kind, _ asset: AssetNumber) -> Bool {
    let known = states[asset]
    let after = known ?? now(asset)
    // Not selected now, and no entry moved it into or out of the selection.
    guard known != nil || after.isSelected else { return false }
    var before = after
    switch kind {
    case .appeared: before.isPresent = false
    case .disappeared: before.isPresent = true
    case .selected: before.isSelected = false
    case .unselected: before.isSelected = true
    default: return after.isVisible
    }
    states[asset] = before
    return before.isVisible || after.isVisible
  }

  private func now(_ asset: AssetNumber) -> State {
    State(
      isPresent: catalogue.isShareable(asset, withLimited: !isFull),
      isSelected: isFull || catalogue.contains(asset, in: selection))
  }
}
