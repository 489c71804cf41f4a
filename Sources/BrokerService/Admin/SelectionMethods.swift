import Broker
import BrokerInterface
import Catalogue
import Delivery
import PhotoModel
import Varlink

/// Selections of limited apps, and their drafts.
struct SelectionMethods {
  let selectors: SelectorResolver

  @MethodRows var methods: [Method] {
    Method(Admin.DraftSelection.self, .administration(draftSelection))
    Method(Admin.EditSelection.self, .administration(editSelection))
  }

  private static let sampleSize = 50

  private func draftSelection(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.DraftSelection.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library, session.editableLibrary)
    let draft = try AdminParameters.draft(parameters.draft, of: "library")
    // A draft may also be deselected later. If it is added instead, assets that may not be added
    // are left out then.
    try selectors.resolve(parameters.selector, in: library, for: .takingAway(from: nil), call) {
      selection throws(CallFailure) in
      guard let selection else { throw .invalid("selector", "it is missing; name what to draft") }
      let drafted = try decide(session.selections.draft(library: library.record.name, selection, to: draft))
      call.reply(Admin.DraftSelection.Reply(draft: drafted.draft.description, drafted: Int64(drafted.count)))
    }
  }

  private func editSelection(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.EditSelection.Parameters = try call.parameters()
    let name = try AdminParameters.library(parameters.library)
    let app = try AdminParameters.app(parameters.app)
    let library = try decide(session.editableLibrary(name))
    let drafts = try (
      adding: AdminParameters.draft(parameters.addDraft, of: "library"),
      removing: AdminParameters.draft(parameters.removeDraft, of: "library")
    )
    let begun = try LiveForm.live(parameters.add, parameters.live)
    guard begun == nil || drafts.adding == nil else {
      throw .invalid("addDraft", "a live selection has conditions alone; leave the draft out")
    }
    let live = begun.map(LiveChange.begin) ?? (parameters.live == false ? .end : nil)
    let members = session.selections.selection(of: app, in: library)
    try selectors.resolve(parameters.add, in: library, call) { add throws(CallFailure) in
      try selectors.resolve(parameters.remove, in: library, for: .takingAway(from: members), call) { remove in
        let isPreview = parameters.preview ?? false
        func edit(preview: Bool, _ completion: @escaping Completion<SelectionOutcome>) {
          session.selections.edit(
            library: library.record.name, app: app, adding: add, removing: remove, drafts: drafts, live: live,
            preview: preview, completion: completion)
        }
        let answered = call.replying { (outcome: SelectionOutcome) in
          // The editor's rights may have ended before the disk has the edit.
          let shown = session.sees(library) ? [outcome.added, outcome.removed] : []
          let sample = shown.flatMap { library.catalogue.latest(Self.sampleSize, of: $0) }.prefix(Self.sampleSize)
          return Admin.EditSelection.Reply(
            added: Int64(outcome.added.count), removed: Int64(outcome.removed.count),
            selected: Int64(outcome.selected), sample: sample.map { AdminRecords.asset($0, in: library) },
            receipt: Admin.Receipt(outcome.receipt), decisions: outcome.receipt.entered,
            outcome: isPreview ? ShownOutcome.name(added: outcome.added, removed: outcome.removed) : nil)
        }
        guard !isPreview, let shown = parameters.outcome else { return edit(preview: isPreview, answered) }
        // A preview completes synchronously, so nothing can change between it and the edit that
        // follows.
        edit(preview: true) { result in
          switch result {
          case .success(let outcome) where shown == ShownOutcome.name(added: outcome.added, removed: outcome.removed):
            edit(preview: false, answered)
          case .success: call.fail(.outcomeChanged())
          case .failure(let error): call.fail(error)
          }
        }
      }
    }
  }
}
