import Catalogue
import PhotoModel

/// Tells which entries of the log touch something that a grant could see, before or after them.
///
/// Goes back through the log from its end: what an asset is now, and the entries behind one, say
/// what it was after that one. A large edit has an entry for each photo, so that an entry costs a
/// lookup or two and nothing is kept of what can never have been seen.
struct Sight {
  /// What an asset was at one point of the log.
  private struct State {
    /// In the library and in no way hidden from this kind of view.
    var isPresent: Bool
    var isSelected: Bool
    var isVisible: Bool { isPresent && isSelected }
  }

  private let key: GrantKey
  private let isFull: Bool
  private let selection: Selection
  private let catalogue: Catalogue
  /// Of what entries behind this point moved.
  private var states: [AssetNumber: State] = [:]

  init(of grant: GrantState, catalogue: Catalogue) {
    key = grant.record.key
    isFull = grant.record.status == .authorized
    selection = grant.selection
    self.catalogue = catalogue
  }

  /// Those of the entries that the grant could see, in order, as what they are to its kind of view.
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

  /// What came into a selection or left it may have been seen wherever it was in it; all else only
  /// where it is in it now.
  private mutating func noteMoves(of entries: ArraySlice<ChangeRecord>) {
    for index in entries.indices where entries[index].grant == key {
      guard let asset = entries[index].asset, states[asset] == nil else { continue }
      states[asset] = now(asset)
    }
  }

  /// What an entry is to this view; nil: nothing, or of another grant's selection.
  private func kind(of entry: ChangeRecord) -> ChangeRecord.Kind? {
    guard entry.grant == nil || (!isFull && entry.grant == key) else { return nil }
    return entry.kind.seen(isLimited: !isFull)
  }

  /// Whether an entry's asset was visible before it or after it. Steps back before it.
  private mutating func sees(_ kind: ChangeRecord.Kind, _ asset: AssetNumber) -> Bool {
    let known = states[asset]
    let after = known ?? now(asset)
    // Never in the selection between this entry and now, nor moved by an earlier one.
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
