package import Catalogue
import PhotoModel

extension LibraryState {
  /// Carries out an app's change request: all steps, durable, or none.
  /// - Parameters:
  ///   - created: what the steps that create assets create, in their order, as it lies in the storage; nil in a dry run.
  ///   - refusal: why it may no longer be made, if so; asked when the request's turn comes, so that a revocation in between wins.
  package func perform(
    _ steps: [ChangeStep], grant: GrantState, narrowing: Narrowing?, dryRun: Bool, created: CreatedAssets? = nil,
    refusal: @escaping () -> BrokerError?, completion: @escaping (Result<ChangeOutcome, BrokerError>) -> Void
  ) {
    var outcome = ChangeOutcome()
    enqueue { [self] () throws(BrokerError) -> Plan in
      if let refusal = refusal() { throw refusal }
      var planner = try ChangePlanner(
        library: self, grant: grant, narrowing: narrowing, createsOnly: !steps.isEmpty && steps.allSatisfy(\.createsAsset))
      for step in steps { try planner.take(step) }
      outcome = planner.outcome
      if dryRun { return Plan() }
      guard planner.creations.count == created?.records.count ?? 0 else {
        throw BrokerError(.failed, .notKept, "What a request creates is not all there; send the request again.")
      }
      return plan(planner, created)
    } completion: { [self] result in
      if let created { finishSettling(created.additions, isKept: (try? result.get()) != nil) }
      completion(result.map { outcome })
    }
  }

  private func plan(_ planner: ChangePlanner, _ created: CreatedAssets?) -> Plan {
    var plan = Plan()
    let creation = created.map { take(planner.creations, $0, into: &plan) }
    for number in planner.touched {
      guard let row = planner.rows[number] else { continue }
      plan.changes.append(.updateRow(record.name, row, edited: planner.edits[number] ?? []))
      let kind = ChangeRecord.Kind.of(from: catalogue.row(of: number)?.flags, to: row.flags) ?? .changed
      if row.flags.contains(.trashed) {
        plan.changes.append(.awaitTrash(record.name, number, true))
        plan.taken.append(number)
      }
      plan.records.append(log.makeRecord(kind, asset: (number, row.identifier)))
    }
    for (number, caption) in planner.captions { plan.changes.append(.setCaption(record.name, number, caption)) }
    let albumEdits = planner.albumEdits()
    for (identifier, album) in albumEdits {
      if let album {
        plan.changes.append(.putAlbum(record.name, album))
      } else {
        plan.changes.append(.removeAlbum(record.name, identifier))
      }
      plan.records.append(log.makeRecord(.album, album: identifier))
    }
    let rows = planner.touched.compactMap { planner.rows[$0] }
    plan.apply = { [self] in
      creation?()
      for row in rows { catalogue.put(row) }
      awaitingTrash.formUnion(rows.lazy.filter { $0.flags.contains(.trashed) }.map(\.number))
      for (number, fields) in planner.edits where !fields.isEmpty {
        recentEdits[number, default: RecentEdit()].fields.formUnion(fields)
        if let caption = planner.captions[number] { recentEdits[number]?.caption = caption }
      }
      for edit in albumEdits { albums[edit.identifier] = edit.album }
    }
    return plan
  }

  /// What apps deleted, newest first.
  package func trashed() -> [AssetRow] {
    guard let page = try? catalogue.page(Query(), in: .owner, limit: .max) else { return [] }
    return rows(of: page).filter { $0.flags.contains(.trashed) }
  }

  /// Assets whose files are back from the trash are in the library again. Answers how many.
  package func restore(_ assets: [AssetNumber], completion: @escaping (Result<Int, BrokerError>) -> Void) {
    var count = 0
    enqueue(isOwners: true) { [self] () throws(BrokerError) -> Plan in
      var plan = Plan()
      var rows: [AssetRow] = []
      for number in assets {
        guard var row = catalogue.row(of: number), row.flags.contains(.trashed) else { continue }
        let before = row.flags
        row.flags.remove(.trashed)
        placed?.insert(number)
        row.version &+= 1
        rows.append(row)
        plan.changes.append(.updateRow(record.name, row, edited: []))
        if awaitingTrash.contains(number) { plan.changes.append(.awaitTrash(record.name, number, false)) }
        let kind = ChangeRecord.Kind.of(from: before, to: row.flags) ?? .changed
        plan.records.append(log.makeRecord(kind, asset: (number, row.identifier)))
      }
      count = rows.count
      plan.apply = { [self] in
        for row in rows {
          catalogue.put(row)
          awaitingTrash.remove(row.number)
        }
      }
      return plan
    } completion: {
      completion($0.map { count })
    }
  }
}
