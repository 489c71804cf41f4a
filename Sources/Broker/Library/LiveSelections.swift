import Catalogue
import PhotoModel

/// Keeps the live selections of one library's grants up to date (R154). Each change of content
/// passes here before its commit, so that one commit holds both.
///
/// Only paths are not in memory. After a commit they are read for assets that meet all other conditions,
/// which stay outside until then. A review reads those of all selected assets too.
final class LiveSelections: LibraryPart {
  private static let pieceCount = 4_096

  private struct Touched {
    let row: AssetRow
    /// Nil: unknown, and unchanged.
    let path: String?
  }

  private var grants: [GrantKey: GrantState] = [:]
  /// Assets that have left a selection, and whose change is not committed yet.
  private var leaving: [GrantKey: Selection] = [:]
  let core: LibraryCore
  private let selections: LibrarySelections

  init(_ core: LibraryCore, selections: LibrarySelections) {
    self.core = core
    self.selections = selections
  }

  /// Notes whether a grant's selection is live. Call it after each change of the record.
  func note(_ grant: GrantState) {
    grants[grant.record.key] = grant.record.live == nil || grant.isRemoved ? nil : grant
  }

  /// All assets that meet all conditions but the folder, exclusions ignored.
  func met(_ live: LiveSelection) -> Selection {
    let catalogue = assets.catalogue
    var query = Query()
    query.createdFrom = live.createdFrom
    query.createdBefore = live.createdBefore
    query.mediaTypes = live.mediaType.map { [$0] }
    query.favourite = live.favourites ? true : nil
    if let album = live.album {
      query.members = [albums[album].map(albums.members) ?? catalogue.emptySelection()]
    }
    return catalogue.selection(matching: query, in: .everything)
  }

  /// The assets that a decision may add now: what stopped fitting since it was chosen stays outside.
  func addable(_ live: LiveSelection, to grant: GrantState) -> Selection {
    let met = met(live)
    return leaving[grant.record.key].map { assets.catalogue.difference(met, $0) } ?? met
  }

  /// The unselected assets that meet all conditions but the folder.
  private func outside(_ grant: GrantState, _ live: LiveSelection, met: Selection) -> Selection {
    let catalogue = assets.catalogue
    let out = catalogue.union(grant.planned, catalogue.selection(of: live.excluded))
    return catalogue.selection(of: assets.selectable(catalogue.difference(met, out)))
  }

  // MARK: Following

  /// Adds the moves of live selections to a plan. Assets that stop fitting leave at once.
  func follow(_ plan: inout ContentPlan) {
    guard !grants.isEmpty else { return }
    var touched: [AssetNumber: Touched] = [:]
    var edited: [AlbumIdentifier: Set<AssetNumber>] = [:]
    for change in plan.changes {
      switch change {
      case .putAsset(_, let record):
        touched[record.row.number] = Touched(row: record.row, path: record.resources.first?.locator ?? "")
      case .updateRow(_, let row, _): touched[row.number] = Touched(row: row, path: touched[row.number]?.path)
      case .putAlbum(_, let album): edited[album.identifier] = Set(album.members)
      case .removeAlbum(_, let album): edited[album] = []
      default: break
      }
    }
    var reviewed = plan.reviewed
    for album in Set(grants.values.compactMap(\.record.live?.album)) {
      guard let members = edited[album] else { continue }
      for number in members.symmetricDifference(albums[album]?.members ?? []) { reviewed.append((number, nil)) }
    }
    for (number, path) in reviewed where touched[number] == nil {
      if let row = assets.catalogueInPlace.row(of: number) { touched[number] = Touched(row: row, path: path) }
    }
    guard !touched.isEmpty else { return }
    let ordered = touched.values.sorted { $0.row.number < $1.row.number }
    for (_, grant) in grants.sorted(by: { $0.key < $1.key }) { move(grant, ordered, edited, in: &plan) }
  }

  private func move(
    _ grant: GrantState, _ touched: [Touched], _ edited: [AlbumIdentifier: Set<AssetNumber>],
    in plan: inout ContentPlan
  ) {
    guard let live = grant.record.live, grant.record.status != .notDetermined else { return }
    let (catalogue, key) = (assets.catalogue, grant.record.key)
    let (excluded, own) = (Set(live.excluded), Set(plan.joined[key] ?? []))
    let members = live.album.flatMap { albums[$0] }.map(albums.members)
    var (joining, leaving): ([AssetRow], [AssetRow]) = ([], [])
    var unknown: [AssetNumber] = []
    for item in touched where !own.contains(item.row.number) {
      let number = item.row.number
      let isMember =
        live.album.flatMap { edited[$0]?.contains(number) }
        ?? members.map { catalogue.contains(number, in: $0) } ?? false
      let fits = live.isMet(by: item.row, isMember: isMember) && !excluded.contains(number)
      let isInFolder = live.folder == nil ? true : item.path.map(live.holds)
      if catalogue.contains(number, in: grant.planned) {
        // An app's own additions stay until somebody takes them out.
        if !fits || isInFolder == false, assets.creators[number] != key.app { leaving.append(item.row) }
      } else if fits, item.row.flags.isDisjoint(with: [.neverShare, .trashed, .missing, .cloudShared]) {
        if isInFolder == true { joining.append(item.row) } else if isInFolder == nil { unknown.append(number) }
      }
    }
    let left = catalogue.selection(of: leaving.map(\.number))
    if !leaving.isEmpty {
      broker.deselect(left, of: grant, in: assets)
      plan.changes.append(broker.narrowingMark())
      self.leaving[key] = self.leaving[key].map { catalogue.union($0, left) } ?? left
    }
    let apply = selections.move(joining, leaving, of: grant, in: &plan)
    let before = plan.moved
    plan.moved = { [self] isKept in
      before(isKept)
      if !leaving.isEmpty { self.leaving[key] = self.leaving[key].map { assets.catalogue.difference($0, left) } }
      guard isKept, grant.record.live == live else {
        // The commit failed, or another decision came into force meanwhile.
        if !isKept, !leaving.isEmpty { grant.isSelectionUnsaved = true }
        if isKept { store.commit(selections.changesToStore(of: grant, touching: joining.map(\.number))) { _ in } }
        return mend(grant)
      }
      apply()
      if !unknown.isEmpty { lookUp(assets.catalogue.selection(of: unknown), for: grant) }
    }
  }

  // MARK: Mending

  /// Reviews the assets whose membership may be wrong, after a decision that changed the conditions,
  /// and after the changes of content that are being committed.
  func mend(_ grant: GrantState) {
    content.enqueue { [self] () -> ContentPlan? in
      compare(grant)
      return ContentPlan()
    } completion: { _ in
    }
  }

  private func compare(_ grant: GrantState) {
    guard let live = grant.record.live, !grant.isRemoved else { return }
    let catalogue = assets.catalogue
    let met = met(live)
    review(catalogue.numbers(in: catalogue.difference(grant.planned, met), withMissing: true).map { ($0, nil) })
    let outside = outside(grant, live, met: met)
    if live.folder != nil { return lookUp(catalogue.union(outside, grant.planned), for: grant) }
    review(catalogue.numbers(in: outside).map { ($0, nil) })
  }

  /// Mends a stored selection before anybody is served. Returns the changes to store.
  func restore(_ grant: GrantState) -> [StoreChange] {
    note(grant)
    guard let live = grant.record.live else { return [] }
    let catalogue = assets.catalogue
    let met = met(live)
    let kept = catalogue.union(met, assets.created(by: [grant.record.key.app]))
    let outside = outside(grant, live, met: met)
    let edit = selections.edit(
      of: grant, adding: live.folder == nil ? outside : catalogue.emptySelection(),
      removing: catalogue.difference(grant.planned, kept), puttingBack: catalogue.emptySelection())
    selections.applyNarrowing(edit, to: grant)
    selections.applyWidening(edit, to: grant)
    if live.folder != nil { lookUp(catalogue.union(outside, grant.planned), for: grant) }
    return edit.changes
  }

  /// Reads the paths of assets. Reviews those that lie in the folder and are not selected, and those that
  /// are selected and lie elsewhere.
  private func lookUp(_ wanted: Selection, for grant: GrantState) {
    guard let live = grant.record.live else { return }
    let (library, count, revision) = (assets.library, assets.catalogue.count(of: wanted), changes.revision)
    guard count > 0 else { return }
    let compare = { [self] (paths: [(asset: AssetNumber, locator: String)]) in
      var rest = paths[...]
      broker.inPieces { [self] in
        let piece = rest.prefix(Self.pieceCount)
        rest = rest.dropFirst(Self.pieceCount)
        let wrong = piece.filter {
          assets.catalogueInPlace.contains($0.asset, in: wanted)
            && live.holds($0.locator) != assets.catalogueInPlace.contains($0.asset, in: grant.planned)
        }
        review(wrong.map { ($0.asset, $0.locator) }, since: revision)
        return !rest.isEmpty
      }
    }
    // Without an answer, the assets stay outside.
    guard count <= Self.pieceCount else { return store.locators(of: library) { (try? $0.get()).map(compare) } }
    let scope = AssetScope(assets: Set(assets.catalogue.numbers(in: wanted)))
    store.assets(of: library, in: scope) {
      (try? $0.get()).map { compare($0.map { ($0.row.number, $0.resources.first?.locator ?? "") }) }
    }
  }

  /// Has a plan of its own decide again about assets.
  /// - Parameter revision: the time of the paths. Those of assets that changed since are read again.
  private func review(_ assets: [(AssetNumber, String?)], since revision: Int64? = nil) {
    for start in stride(from: 0, to: assets.count, by: Self.pieceCount) {
      content.enqueue { [self] () -> ContentPlan? in
        let changed = revision.map { changes.recent.since($0, now: changes.revision) }
        var plan = ContentPlan()
        plan.reviewed = assets[start..<min(start + Self.pieceCount, assets.count)].map { number, path in
          guard let changed, let known = self.assets.catalogueInPlace.position(of: number) else {
            return (number, path)
          }
          let isStale = changed?.contains(self.assets.catalogueInPlace.identifier(known)) ?? true
          return (number, isStale ? nil : path)
        }
        return plan
      } completion: { _ in
      }
    }
  }
}
