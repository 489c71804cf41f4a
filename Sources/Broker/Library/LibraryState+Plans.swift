import Catalogue
import PhotoModel

extension LibraryState {
  /// A planned change: the changes to store, and the work after their commit.
  struct Plan {
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
  }

  struct ChangedRow {
    let row: AssetRow
    /// Whether the change makes the asset invisible.
    let isTaken: Bool
    /// Nil: nothing visible changed, so nobody is told.
    let record: ChangeRecord?
  }

  static let pieceCount = 128

  /// Runs changes of the library's content one after the other, so that each is checked against the
  /// result of the one before. Nothing changes unless the whole plan is committed.
  /// - Parameters:
  ///   - isOwners: whether a person decided it. A person's changes run before those of apps and
  ///     storages, which could otherwise delay hiding a photo.
  ///   - make: checks and plans one piece; called again while it returns nil. Only rights can
  ///     change between the calls.
  func enqueue(
    isOwners: Bool = false, _ make: @escaping () throws(BrokerError) -> Plan?,
    completion: @escaping (Result<Void, BrokerError>) -> Void
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
      waiting.owners.append { [self] in broker.ownersTurns.take(FairQueue.Turn(user: record.owner, begin)) }
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

  private func keep(_ plan: Plan, _ finish: @escaping (Result<Void, BrokerError>) -> Void) {
    var changes = plan.changes
    if !plan.records.isEmpty { changes.append(.appendChanges(record.name, plan.records)) }
    guard !changes.isEmpty else {
      plan.apply()
      return finish(.success(()))
    }
    if changes.contains(where: \.changesAsset) { contentCommits += 1 }
    // Larger plans than the limit are not remembered.
    let changed = plan.rows.count > RecentChanges.limit ? nil : changes.compactMap(changedAsset)
    var taking = plan
    taking.changes = []
    store.keep(changes) { [self, taking] failure in
      if let failure { return finish(.failure(.failed(failure))) }
      takeUp(taking, changed, finish)
    }
  }

  /// The asset that a store change affects visibly. Call it before the change is applied.
  private func changedAsset(_ change: StoreChange) -> AssetIdentifier? {
    switch change {
    case .putAsset(_, let record): record.row.identifier
    case .updateRow(_, let row, _): row.identifier
    case .removeAsset(_, let number): catalogue.row(of: number)?.identifier
    default: nil
    }
  }

  private func takeUp(
    _ plan: Plan, _ changed: [AssetIdentifier]?, _ finish: @escaping (Result<Void, BrokerError>) -> Void
  ) {
    var rest = plan.rows[...]
    broker.inPieces { [self] in
      let piece = rest.prefix(Self.pieceCount)
      rest = rest.dropFirst(Self.pieceCount)
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
      }
      changes.enter(plan.records)
      if !plan.rows.isEmpty || !plan.records.isEmpty { changes.tell() }
      finish(.success(()))
      return false
    }
  }

  /// Applies a change that hides assets, and makes prepared replies about them stale.
  private func take(_ assets: [AssetNumber], _ fromLimited: [AssetNumber], _ apply: () -> Void) {
    let endReplies =
      assets.isEmpty && fromLimited.isEmpty ? {} : broker.beforeTaking(assets, fromLimited: fromLimited, in: self)
    apply()
    endReplies()
  }
}

extension LibraryState.Plan {
  /// - Parameter edited: the fields that become edited ones.
  mutating func change(
    _ rows: [LibraryState.ChangedRow], in library: LibraryName, edited: (AssetNumber) -> EditedFields
  ) {
    guard !rows.isEmpty else { return }
    self.rows += rows
    for changed in rows { changes.append(.updateRow(library, changed.row, edited: edited(changed.row.number))) }
    let records = rows.compactMap(\.record)
    if !records.isEmpty { changes.append(.appendChanges(library, records)) }
  }

  mutating func expect(_ count: Int) {
    rows.reserveCapacity(count)
    changes.reserveCapacity(count + count / LibraryState.pieceCount + 8)
  }
}
