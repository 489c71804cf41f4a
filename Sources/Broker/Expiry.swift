import Limits
import PhotoModel

/// Ends grants, prompts and pickers whose time is over.
package struct Expiry {
  let broker: Broker

  /// Ends expired grants, and withdraws prompts and pickers that are too old or whose tokens have
  /// ended. Access does not depend on the time of this call: calls and replies read the clocks
  /// themselves.
  /// - Returns: the time of the next call on the monotonic clock; nil if none is needed.
  package func runDue() -> Duration? {
    var next: Duration?
    _ = broker.clock.read()
    var hasEnded = false
    for grant in broker.grants.decided(where: \.mayEnd) {
      if grant.hasEnded(broker.environment) {
        end(grant)
        hasEnded = true
      } else if let deadline = grant.deadline {
        next = min(next ?? deadline, deadline)
      }
    }
    if hasEnded || broker.clock.mustNote { broker.clock.note() }
    broker.pickerService.withdrawOfEndedTokens()
    broker.deletionService.withdrawEnded()
    for prompt in broker.prompts.all where !prompt.isBeingAnswered {
      if broker.promptService.isOver(prompt), let app = broker.apps[prompt.record.key.app] {
        // An expired token counts as a dismissal.
        if prompt.record.kind != .authorization, let backoff = AskingBackoff.Kind(prompt.record.kind) {
          broker.promptService.backOff(backoff, prompt.library, app.record)
        }
        broker.promptService.giveBackQuestion(prompt)
        broker.promptService.close(prompt)
        continue
      }
      let left = prompt.record.asked.advanced(by: BrokerLimits.promptLifetime).distance(from: broker.environment.now)
      // A date far in the future comes from a wall clock that ran ahead.
      if left <= .zero || left > BrokerLimits.promptLifetime * 2 {
        broker.store.commit([.removePrompt(prompt.record.identifier)]) { _ in }
        broker.promptService.close(prompt)
      } else {
        let due = broker.environment.monotonic + left
        next = min(next ?? due, due)
      }
    }
    return next
  }

  /// Ends the grants that were given once, for a life cycle of these apps.
  func endLifeCycles(of apps: [AppIdentifier]) {
    for grant in apps.flatMap({ broker.grants[app: $0] }) where grant.record.isOnce {
      grant.isRunOver = true
      endIfOver(grant)
    }
  }

  func endIfOver(_ grant: GrantState) {
    if grant.mayEnd, grant.hasEnded(broker.environment) { end(grant) }
  }

  private func end(_ grant: GrantState) {
    guard let library = broker.libraries[grant.record.key.library] else { return }
    let accessor = broker.newAccessor()
    let settings = GrantSettings(status: grant.status(broker.environment))
    let role = grant.record.roleOfEnd
    // The person who set the end is known if there was no later decision.
    let isKnown = role == grant.record.role && grant.record.source != .restore
    let decider = isKnown ? grant.record.decider : library.record.owner
    let edit = GrantEdit(
      decider: Decider(uid: decider, role: role, origin: "expiry", source: .expiry), action: "expire",
      change: { record in
        // As after a revocation, facts that were withheld stay so until the decision is forgotten.
        let terms = record.terms
        settings.apply(to: &record, by: role, accessor: accessor, hasEnded: true)
        record.terms = terms
      }, completion: { _ in })
    edit.keepsSelection = true
    broker.editor.submit(edit, on: grant, in: library)
    // A request for access must not join a prompt about the former selection.
    if let prompt = broker.prompts[grant.record.key], prompt.record.kind != .authorization, !prompt.isBeingAnswered {
      broker.store.commit([.removePrompt(prompt.record.identifier)]) { _ in }
      broker.promptService.close(prompt)
    }
  }
}
