import Catalogue
import PhotoModel

/// The changes of one library's content, which are planned, committed and applied one after the
/// other.
final class ContentQueue {
  /// Queued changes: the owner's, which run first, and all others.
  private var waiting: (owners: [() -> Void], others: [() -> Void]) = ([], [])
  /// Whether a change is being planned, committed or applied.
  private(set) var isBusy = false
  private let assets: LibraryAssets
  private let changes: LibraryChanges
  private let copy: CatalogueCopy
  private let configuration: LibraryConfiguration
  private let store: any Store
  private unowned let broker: any LibraryBroker
  /// Adds the moves of live selections to a plan.
  var follow: (inout ContentPlan) -> Void = { _ in }

  init(
    assets: LibraryAssets, changes: LibraryChanges, copy: CatalogueCopy, configuration: LibraryConfiguration,
    store: any Store, broker: any LibraryBroker
  ) {
    self.assets = assets
    self.changes = changes
    self.copy = copy
    self.configuration = configuration
    self.store = store
    self.broker = broker
  }

  /// Runs changes of the library's content one after the other, so that each is checked against the
  /// result of the one before. Nothing changes unless the whole plan is committed.
  /// - Parameters:
  ///   - isOwners: whether a person decided it. A person's changes run before those of apps and
  ///     storages, which could otherwise delay hiding a photo.
  ///   - make: checks and plans one piece; called again while it returns nil. Only rights can
  ///     change between the calls.
  func enqueue(
    isOwners: Bool = false, _ make: @escaping () throws(BrokerError) -> ContentPlan?,
    completion: @escaping Completion<Void>
  ) {
    let begin = { [self] (over: @escaping () -> Void) in
      let finish = { [self] (result: Result<Void, BrokerError>) in
        completion(result)
        over()
        isBusy = false
        startNext()
      }
      broker.inPieces { [self] in
        do throws(BrokerError) {
          guard let plan = try make() else { return true }
          keep(plan, finish)
        } catch {
          finish(.failure(error))
        }
        return false
      }
    }
    if isOwners {
      let owner = configuration.record.owner
      waiting.owners.append { [self] in broker.ownersTurns.take(FairQueue.Turn(user: owner, begin)) }
    } else {
      waiting.others.append { begin({}) }
    }
    if !isBusy { startNext() }
  }

  private func startNext() {
    guard !waiting.owners.isEmpty || !waiting.others.isEmpty else { return }
    isBusy = true
    let next = waiting.owners.isEmpty ? waiting.others.removeFirst() : waiting.owners.removeFirst()
    next()
  }

  private func keep(_ plan: ContentPlan, _ finish: @escaping Completion<Void>) {
    var plan = plan
    follow(&plan)
    var stored = plan.changes
    if !plan.records.isEmpty { stored.append(.appendChanges(assets.library, plan.records)) }
    guard !stored.isEmpty else {
      plan.apply()
      plan.moved(true)
      return finish(.success(()))
    }
    copy.noteCommit(of: stored)
    // Larger plans than the limit are not remembered.
    let changed = plan.rows.count > RecentChanges.limit ? nil : stored.compactMap(changedAsset)
    var taking = plan
    taking.changes = []
    store.commit(stored) { [self, taking] failure in
      if let failure {
        taking.moved(false)
        return finish(.failure(.failed(failure)))
      }
      takeUp(taking, changed, finish)
    }
  }

  /// The asset that a store change affects visibly. Call it before the change is applied.
  private func changedAsset(_ change: StoreChange) -> AssetIdentifier? {
    switch change {
    case .putAsset(_, let record): record.row.identifier
    case .updateRow(_, let row, _): row.identifier
    case .removeAsset(_, let number): assets.catalogue.row(of: number)?.identifier
    default: nil
    }
  }

  private func takeUp(_ plan: ContentPlan, _ changed: [AssetIdentifier]?, _ finish: @escaping Completion<Void>) {
    var rest = plan.rows[...]
    broker.inPieces { [self] in
      let piece = rest.prefix(ContentPlan.pieceCount)
      rest = rest.dropFirst(ContentPlan.pieceCount)
      take(piece.filter(\.isTaken).map(\.row.number), []) {
        for changed in piece {
          assets.catalogue.put(changed.row)
          plan.didPut(changed.row)
        }
      }
      changes.enter(piece.compactMap(\.record))
      guard rest.isEmpty else { return true }
      take(plan.taken, plan.takenFromLimited) {
        plan.apply()
        changes.noteRevision(changed)
        plan.moved(true)
      }
      changes.enter(plan.records)
      if !plan.rows.isEmpty || !plan.records.isEmpty { changes.tell() }
      finish(.success(()))
      return false
    }
  }

  /// Applies a change that hides assets, and makes prepared replies about them stale.
  private func take(_ taken: [AssetNumber], _ fromLimited: [AssetNumber], _ apply: () -> Void) {
    let endReplies =
      taken.isEmpty && fromLimited.isEmpty ? {} : broker.beforeTaking(taken, fromLimited: fromLimited, of: assets)
    apply()
    endReplies()
  }
}
