import Catalogue

/// Plans a change request in pieces: first it checks the steps, then it collects the changed
/// assets.
struct RequestPlanning {
  private(set) var planner: ChangePlanner
  private(set) var plan = ContentPlan()
  let epoch: UInt64
  let deletion: Deletion
  /// The decider to record for the changes; nil for a removed app.
  let changer: Decider?
  private var steps: ArraySlice<ChangeStep>
  private var written = 0

  init(
    _ steps: [ChangeStep], library: LibraryState, grant: GrantState, attenuation: Attenuation?,
    captions: [AssetNumber: String]
  ) throws(BrokerError) {
    planner = try ChangePlanner(
      library: library, grant: grant, attenuation: attenuation,
      createsOnly: !steps.isEmpty && steps.allSatisfy(\.createsAsset),
      kept: captions)
    epoch = grant.record.epoch
    deletion = Deletion(app: grant.record.key.app, time: library.environment.now)
    changer = library.broker.changer(grant.record.key.app)
    self.steps = steps[...]
  }

  var isPlanned: Bool { steps.isEmpty }

  /// - Returns: whether it was the last step.
  mutating func takeStep() throws(BrokerError) -> Bool {
    if let step = steps.popFirst() { try planner.take(step) }
    return steps.isEmpty
  }

  /// - Returns: whether these were the last rows.
  mutating func takeRows() -> Bool {
    let (library, touched) = (planner.library, planner.touched)
    if written == 0 { plan.expect(touched.count) }
    var rows: [ChangedRow] = []
    for number in touched[written...].prefix(ContentPlan.pieceCount) {
      guard let row = planner.rows[number] else { continue }
      let known = library.catalogue.row(of: number)
      let kind = ChangeRecord.Kind.of(from: known?.flags, to: row.flags) ?? .changed
      if let caption = planner.captions[number] {
        plan.changes.append(.setCaption(library.record.name, number, caption))
      }
      let isTrashed = row.flags.contains(.trashed)
      if isTrashed {
        plan.changes.append(.awaitTrash(library.record.name, number, true))
        plan.changes.append(.noteDeletion(library.record.name, number, deletion))
      }
      if let known, let changer {
        let caption = planner.captionChange(of: number)
        let before = AssetValues(known, caption: caption?.before), after = AssetValues(row, caption: caption?.after)
        let changes: [(AssetDecision, ValueChange<AssetValues?>)] = [
          (.edited, ValueChange(before, after)), (.deleted, ValueChange(after, isTrashed ? nil : after)),
        ]
        plan.changes += changes.filter { $1.before != $1.after }.map {
          changer.decide($0, $1, known, of: deletion.app, in: library)
        }
      }
      let record = row == known ? nil : library.changes.log.makeRecord(kind, asset: (number, row.identifier))
      rows.append(.init(row: row, isTaken: isTrashed, record: record))
    }
    plan.change(rows, in: library.record.name) { [edits = planner.edits] in edits[$0] ?? [] }
    written = min(touched.count, written + ContentPlan.pieceCount)
    return written == touched.count
  }
}
