import Catalogue

/// What a change request creates, once its files lie in the storage.
package struct CreatedAssets {
  /// In the order of the steps; numbers, identifiers and what the steps say of them are the library's to give.
  package let records: [AssetRecord]
  /// Under which the library knows their files as not yet taken up.
  package let additions: [Addition.Number]
  package let app: AppIdentifier
  /// The app's read-write grant at the moment at which they are taken up, whose selection they join.
  package let joining: () -> GrantState?
  package let newcomers: Newcomers

  package init(
    records: [AssetRecord], additions: [Addition.Number], app: AppIdentifier, joining: @escaping () -> GrantState?,
    newcomers: Newcomers
  ) {
    self.records = records
    self.additions = additions
    self.app = app
    self.joining = joining
    self.newcomers = newcomers
  }
}

extension LibraryState {
  /// The number that an asset gets after so many that are given before it and are not taken yet.
  func number(after count: Int) throws(BrokerError) -> AssetNumber {
    guard let number = UInt32(exactly: UInt64(nextNumber) + UInt64(count)), number < .max else {
      throw .photos(
        .limitExceeded, "The library has given out all its asset numbers; add a new library on the same folder.")
    }
    return AssetNumber(number)
  }

  /// Adds what becomes of created assets to a request's plan: the assets, their place in the
  /// creator's selection (R43, R44), and that their files are taken up, in one commit. Answers what
  /// is to be done once it is kept.
  func take(_ planned: [PlannedAsset], _ created: CreatedAssets, into plan: inout Plan) -> () -> Void {
    var records: [AssetRecord] = []
    var findings: [AssetRow] = []
    for (asset, found) in zip(planned, created.records) {
      let record = asset.record(found, by: created.app, now: environment.now)
      records.append(record)
      placed?.insert(asset.number)
      if let twin = finding(of: record, among: created.newcomers) {
        findings.append(twin)
        remove(twin, in: &plan)
      }
      plan.changes.append(.putAsset(self.record.name, record))
      if let kind = ChangeRecord.Kind.of(from: nil, to: record.row.flags) {
        plan.records.append(log.makeRecord(kind, asset: (asset.number, asset.identifier)))
      }
    }
    nextNumber += UInt32(records.count)
    let join = created.joining().map { self.join(records.map(\.row), to: $0, in: &plan) }
    if let settled = settle(created.additions) { plan.changes.append(settled) }
    return { [self] in
      for row in findings { forget(row.number) }
      for record in records {
        let number = record.row.number
        catalogue.put(record.row)
        creators[number] = created.app
        created.newcomers.note(record, addedBy: created.app)
        if !record.edited.isEmpty {
          recentEdits[number] = RecentEdit(
            fields: record.edited, caption: record.edited.contains(.caption) ? record.caption : nil)
        }
      }
      if let join { join() } else { created.joining().map { joinLate(records.map(\.row.number), to: $0) } }
    }
  }
}
