import Catalogue

/// Files of a change request that are in the storage and become assets.
package struct CreatedAssets {
  /// In the order of the steps. The library adds numbers, identifiers and the steps' values.
  package let records: [AssetRecord]
  /// The numbers under which the library recorded the files.
  package let additions: [Addition.Number]
  package let app: AppIdentifier
  /// The app's read-write grant at the time of the commit, whose selection the assets join.
  package let joining: () -> GrantState?
  package let pendingImports: PendingImports

  package init(
    records: [AssetRecord], additions: [Addition.Number], app: AppIdentifier, joining: @escaping () -> GrantState?,
    pendingImports: PendingImports
  ) {
    self.records = records
    self.additions = additions
    self.app = app
    self.joining = joining
    self.pendingImports = pendingImports
  }
}

extension LibraryState {
  /// Adds created assets to a request's plan: the assets, their place in the app's selection (R43,
  /// R44), and the end of their additions, in one commit. Returns the work to do after the commit.
  func take(
    _ planned: [PlannedAsset], _ created: CreatedAssets, by changer: Decider?, into plan: inout ContentPlan
  ) -> () -> Void {
    var records: [AssetRecord] = []
    var findings: [AssetRow] = []
    for (asset, found) in zip(planned, created.records) {
      let record = asset.record(found, by: created.app, now: environment.now)
      records.append(record)
      assets.placed?.insert(asset.number)
      if let twin = scan.finding(of: record, among: created.pendingImports) {
        findings.append(twin)
        trash.remove(twin, in: &plan)
      }
      plan.changes.append(.putAsset(self.record.name, record))
      if let changer {
        let facts = AssetValues(record.row, caption: record.shownCaption ?? "")
        plan.changes.append(changer.decide(.added, ValueChange(nil, facts), record.row, of: created.app, in: self))
      }
      if let kind = ChangeRecord.Kind.of(from: nil, to: record.row.flags) {
        plan.records.append(changes.log.makeRecord(kind, asset: (asset.number, asset.identifier)))
      }
    }
    assets.takeNumbers(records.count)
    let join = created.joining().map { selections.join(records.map(\.row), to: $0, in: &plan) }
    if let settled = additions.settle(created.additions) { plan.changes.append(settled) }
    return { [self] in
      for row in findings { trash.forget(row.number) }
      for record in records {
        let number = record.row.number
        assets.catalogue.put(record.row)
        assets.creators[number] = created.app
        created.pendingImports.note(record, addedBy: created.app)
        if !record.edited.isEmpty {
          assets.recentEdits[number] = RecentEdit(
            fields: record.edited, caption: record.edited.contains(.caption) ? record.caption : nil)
        }
      }
      if let join { join() } else { created.joining().map { selections.joinLate(records.map(\.row.number), to: $0) } }
    }
  }
}
