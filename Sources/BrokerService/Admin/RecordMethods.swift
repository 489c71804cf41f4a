import Broker
import BrokerInterface
import Catalogue
import PhotoModel

/// The ledger, and the decisions with their undo.
struct RecordMethods {
  let broker: Broker
  let store: any Store
  let runtimes: LibraryRuntimes
  let trials: PluginTrials

  @MethodRows var methods: [Method] {
    Method(Admin.ReadLedger.self, .administration(readLedger))
    Method(Admin.VerifyLedger.self, .administration(verifyLedger))
    Method(Admin.ListDecisions.self, .administration(listDecisions))
    Method(Admin.UndoDecision.self, .administration(undoDecision))
  }

  private func readLedger(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ReadLedger.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library, session.seenLibrary)
    let query = LedgerQuery(
      apps: try AdminParameters.apps(parameters.app, claiming: parameters.identifier, in: broker),
      asset: try parameters.asset.map { text throws(CallFailure) in try AdminParameters.asset(text) },
      since: parameters.since.map { Timestamp(microseconds: $0) },
      before: try AdminParameters.cursor(parameters.cursor),
      limit: Int(parameters.limit ?? 100))
    store.ledger(of: library.record.name, query) { result in
      switch result {
      case .failure(let failure): call.fail(BrokerError(.failed, .notRead, failure.message))
      case .success(let page):
        // The caller's rights may have ended meanwhile.
        guard session.sees(library) else { return call.fail(AdminParameters.noLibrary()) }
        call.reply(
          Admin.ReadLedger.Reply(
            entries: page.records.map { entry in
              Admin.LedgerEntry(
                time: entry.time.microseconds, app: entry.app.description,
                identifier: claimed(by: entry.app) ?? "",
                accessor: entry.accessor.description, asset: entry.asset.description, rendition: entry.rendition,
                bytes: entry.bytes, gap: entry.isGap, removed: broker.app(entry.app) == nil && !entry.isGap,
                filename: filename(of: entry.asset, in: library))
            }, cursor: page.next.map { String($0) }, trimmed: page.wasTrimmed,
            damaged: runtimes[library].status.ledger != nil))
      }
    }
  }

  private func verifyLedger(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.VerifyLedger.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library, session.seenLibrary)
    runtimes.verifyLedger(of: library) { result in
      // The caller's rights may have ended meanwhile.
      guard session.sees(library) else { return call.fail(AdminParameters.noLibrary()) }
      switch result {
      case .failure(let failure): call.fail(BrokerError(.failed, .notRead, failure.message))
      case .success(.intact(let entries)):
        call.reply(Admin.VerifyLedger.Reply(intact: true, entries: Int64(entries)))
      case .success(.damaged(let entry)): call.reply(Admin.VerifyLedger.Reply(intact: false, damagedAt: entry))
      }
    }
  }

  private func filename(of asset: AssetIdentifier, in library: LibraryState) -> String? {
    library.catalogue.position(of: asset).map { library.catalogue.row($0).fileName }
  }

  /// The identifier in the manifest of an app, or of a removed app.
  private func claimed(by app: AppIdentifier) -> String? {
    broker.app(app)?.record.manifest.identifier ?? broker.formerApp(app)?.claimed
  }

  private func listDecisions(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ListDecisions.Parameters = try call.parameters()
    let before = try AdminParameters.cursor(parameters.cursor)
    let query = DecisionQuery(
      apps: try AdminParameters.apps(parameters.app, claiming: parameters.identifier, in: broker),
      asset: try parameters.asset.map { text throws(CallFailure) in try AdminParameters.asset(text) },
      since: parameters.since.map { Timestamp(microseconds: $0) },
      before: before.map { UInt64(clamping: $0) }, limit: Int(parameters.limit ?? 100))
    session.decisions.list(library: try AdminParameters.library(parameters.library), query) { result in
      result.orFail(call) { page in
        let decisions = page.entries.map { entry in
          // A person who decides for a library without seeing its photos gets no title, folder or
          // date.
          let library = entry.record.library.flatMap { broker.libraries[$0] }
          return AdminRecords.decision(
            entry, identifier: entry.record.app.flatMap { claimed(by: $0) },
            isUndoable: session.decisions.mayUndo(entry),
            wasRemoved: entry.record.app.map { broker.app($0) == nil },
            showsSubject: library.map { session.sees($0) } ?? false,
            photo: library.flatMap { session.owns($0) ? AdminRecords.photo(entry, in: $0) : nil })
        }
        let fitting = ListPage.fitting(decisions)
        let next = fitting < decisions.count ? UInt64(clamping: decisions[fitting - 1].decision) : page.next
        call.reply(
          Admin.ListDecisions.Reply(decisions: Array(decisions.prefix(fitting)), cursor: next.map { String($0) }))
      }
    }
  }

  private func undoDecision(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.UndoDecision.Parameters = try call.parameters()
    let number = UInt64(clamping: parameters.decision)
    session.decisions.policies(settingBack: number) { policies in
      trials.claimPolicies(policies.chosen, asks: false) { result in
        var claim: PluginClaim?
        do throws(BrokerError) { claim = try result.get() } catch {
          guard policies.canBeLeft else { return call.fail(error) }
        }
        guard !call.isClosed else {
          claim?.release()
          return
        }
        let held = claim
        session.decisions.undo(number, leavesPolicy: held == nil) { result in
          held?.release()
          result.orFail(call) { outcome in tell(outcome, call) }
        }
      }
    }
  }

  private func tell(_ outcome: UndoOutcome, _ call: IncomingCall) {
    let reply = {
      call.reply(
        Admin.UndoDecision.Reply(
          grant: outcome.grant.map { AdminRecords.grant($0) }, receipt: Admin.Receipt(outcome.receipt),
          decisions: outcome.receipt.entered))
    }
    if let name = outcome.removedLibrary { runtimes.forget(name) }
    guard let library = outcome.albums.isEmpty ? nil : outcome.library.flatMap({ broker.libraries[$0] })
    else {
      return reply()
    }
    runtimes.albumsChanged(in: library, outcome.albums, reply)
  }
}
