import Catalogue
import PhotoModel

/// Changes of content, one after the other.
extension LibraryState {
  /// What a change comes down to: what to keep, and what to do once it is kept.
  struct Plan {
    var changes: [StoreChange] = []
    var records: [ChangeRecord] = []
    /// Assets that may be shown no longer: hidden, never to be shared, deleted, gone.
    var taken: [AssetNumber] = []
    /// Assets that limited views show no longer: they became cloud-shared.
    var takenFromLimited: [AssetNumber] = []
    /// What becomes of assets that are there, however many: taken up before all else, piece by
    /// piece, each as a change of its own. What is to be kept of it is among `changes`.
    private(set) var rows: [ChangedRow] = []
    /// What is to be done with each of these beside.
    var didPut: (AssetRow) -> Void = { _ in }
    var apply: () -> Void = {}
  }

  struct ChangedRow {
    let row: AssetRow
    /// Whether it may be shown no longer.
    let isTaken: Bool
    /// Nil: it is as it was for everybody, and nobody is told.
    let record: ChangeRecord?
  }

  /// How many assets one piece of planning or taking up is about.
  static let pieceCount = 128

  /// Runs changes of the library's content strictly one after the other, so that each is checked
  /// against the outcome of the one before. `make` checks and plans; nothing is changed unless all
  /// of the plan becomes durable.
  /// - Parameters:
  ///   - isOwners: A person decided on it. It comes before all that waits of apps and of the
  ///     storage: else what they send would put off that a photo is hidden.
  ///   - make: called again where it answers nil: it has planned a piece. Nothing but rights
  ///     changes in between.
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
      inPieces { [self] in
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
      waiting.owners.append { [self] in ownersTurns.take(record.owner, for: self, begin) }
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

  /// Has the disk take a plan, then takes it up.
  private func keep(_ plan: Plan, _ finish: @escaping (Result<Void, BrokerError>) -> Void) {
    var changes = plan.changes
    if !plan.records.isEmpty { changes.append(.appendChanges(record.name, plan.records)) }
    guard !changes.isEmpty else {
      plan.apply()
      return finish(.success(()))
    }
    if changes.contains(where: \.changesAsset) { contentCommits += 1 }
    // Of more than are remembered none is.
    let changed = plan.rows.count > RecentChanges.limit ? nil : changes.compactMap(changedAsset)
    var taking = plan
    taking.changes = []
    store.keep(changes) { [self, taking] failure in
      if let failure { return finish(.failure(.failed(failure))) }
      takeUp(taking, changed, finish)
    }
  }

  /// Which asset a change of the store is about, where that shows in the catalogue. Asked before it is applied.
  private func changedAsset(_ change: StoreChange) -> AssetIdentifier? {
    switch change {
    case .putAsset(_, let record): record.row.identifier
    case .updateRow(_, let row, _): row.identifier
    case .removeAsset(_, let number), .putAway(_, let number, _): catalogue.row(of: number)?.identifier
    default: nil
    }
  }

  private func takeUp(
    _ plan: Plan, _ changed: [AssetIdentifier]?, _ finish: @escaping (Result<Void, BrokerError>) -> Void
  ) {
    var rest = plan.rows[...]
    inPieces { [self] in
      let piece = rest.prefix(Self.pieceCount)
      rest = rest.dropFirst(Self.pieceCount)
      take(piece.filter(\.isTaken).map(\.row.number), []) {
        for changed in piece {
          catalogue.put(changed.row)
          plan.didPut(changed.row)
        }
      }
      enter(piece.compactMap(\.record))
      guard rest.isEmpty else { return true }
      take(plan.taken, plan.takenFromLimited) {
        plan.apply()
        revision &+= 1
        recentChanges.note(changed, at: revision)
      }
      enter(plan.records)
      if !plan.rows.isEmpty || !plan.records.isEmpty { tellOfChanges() }
      finish(.success(()))
      return false
    }
  }

  /// Applies what takes assets out of sight: what was admitted while they could be seen leaves no more.
  private func take(_ assets: [AssetNumber], _ fromLimited: [AssetNumber], _ apply: () -> Void) {
    let endReplies = assets.isEmpty && fromLimited.isEmpty ? {} : beforeTaking(assets, fromLimited)
    apply()
    endReplies()
  }
}

extension LibraryState.Plan {
  /// - Parameter edited: the fields of each that are edited now.
  mutating func change(
    _ rows: [LibraryState.ChangedRow], in library: LibraryName, edited: (AssetNumber) -> EditedFields
  ) {
    guard !rows.isEmpty else { return }
    self.rows += rows
    for changed in rows { changes.append(.updateRow(library, changed.row, edited: edited(changed.row.number))) }
    let records = rows.compactMap(\.record)
    if !records.isEmpty { changes.append(.appendChanges(library, records)) }
  }

  /// So many assets will be changed.
  mutating func expect(_ count: Int) {
    rows.reserveCapacity(count)
    changes.reserveCapacity(count + count / LibraryState.pieceCount + 8)
  }
}
