import Catalogue
import PhotoModel

/// Tells which entries of the log touch something that a grant could see, before or after them.
///
/// Replays the entries on what each asset was before the first of them, which follows from the present and from the entries.
final class Sight {
  /// Those that it sees, in order.
  private(set) var seen: [ChangeRecord] = []
  private var selected: [AssetNumber: Bool] = [:]
  private var present: [AssetNumber: Bool] = [:]
  private let grant: GrantState
  private let catalogue: Catalogue
  private let isFull: Bool
  private let showsAlbum: (AlbumIdentifier) -> Bool
  private let isPresentNow: (AssetNumber) -> Bool

  init(
    entries: ArraySlice<ChangeRecord>, grant: GrantState, catalogue: Catalogue,
    showsAlbum: @escaping (AlbumIdentifier) -> Bool, isPresentNow: @escaping (AssetNumber) -> Bool
  ) {
    self.catalogue = catalogue
    self.grant = grant
    self.showsAlbum = showsAlbum
    self.isPresentNow = isPresentNow
    isFull = grant.record.status == .authorized
    let entries = relevant(entries).compactMap(inView)
    for entry in entries {
      guard let asset = entry.asset, entry.grant == nil || entry.grant == grant.record.key else { continue }
      switch entry.kind {
      case .appeared: present[asset] = present[asset] ?? false
      case .disappeared: present[asset] = present[asset] ?? true
      case .selected: selected[asset] = selected[asset] ?? false
      case .unselected: selected[asset] = selected[asset] ?? true
      default: break
      }
    }
    for entry in entries where sees(entry) { seen.append(entry) }
  }

  /// An entry as what it is to this kind of view; nil where it is nothing.
  private func inView(_ entry: ChangeRecord) -> ChangeRecord? {
    guard let kind = entry.kind.seen(isLimited: !isFull) else { return nil }
    var seen = entry
    seen.kind = kind
    return seen
  }

  /// A limited grant sees nothing of an asset that is not in its selection and was not in it since: most of the log, where the
  /// library is large and the selection small.
  private func relevant(_ entries: ArraySlice<ChangeRecord>) -> [ChangeRecord] {
    guard !isFull else { return entries.filter { $0.grant == nil } }
    let key = grant.record.key
    let moved = Set(entries.lazy.filter { $0.grant == key }.compactMap(\.asset))
    return entries.filter { entry in
      guard let asset = entry.asset, entry.grant == nil || entry.grant == key else { return false }
      return moved.contains(asset) || catalogue.contains(asset, in: grant.selection)
    }
  }

  private func sees(_ entry: ChangeRecord) -> Bool {
    // Which albums there are, and their titles, a token has a digest of.
    guard let asset = entry.asset, entry.grant == nil || entry.grant == grant.record.key else { return false }
    if let album = entry.album { return showsAlbum(album) && isVisible(asset) }
    let before = isVisible(asset)
    switch entry.kind {
    case .appeared: present[asset] = true
    case .disappeared: present[asset] = false
    case .selected: selected[asset] = true
    case .unselected: selected[asset] = false
    default: break
    }
    return before || isVisible(asset)
  }

  private func isVisible(_ asset: AssetNumber) -> Bool {
    (present[asset] ?? isPresentNow(asset)) && (isFull || selected[asset] ?? catalogue.contains(asset, in: grant.selection))
  }
}
