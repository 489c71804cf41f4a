import Limits
import PhotoModel

extension Broker {
  /// Ends expired grants, and withdraws prompts and pickers that are too old or whose tokens have
  /// ended. Access does not depend on the time of this call: calls and replies read the clocks
  /// themselves.
  /// - Returns: the time of the next call on the monotonic clock; nil if none is needed.
  package func runDue() -> Duration? {
    var next: Duration?
    _ = latestTime.read(environment)
    var hasEnded = false
    for grant in grants.decided(where: { $0.record.status.grantsAccess && $0.record.expires != nil }) {
      if grant.hasEnded(environment) {
        end(grant)
        hasEnded = true
      } else if let deadline = grant.deadline {
        next = min(next ?? deadline, deadline)
      }
    }
    if hasEnded || environment.monotonic - timeNoted >= Self.timeNotedAfter { noteTime() }
    withdrawPickersOfEndedTokens()
    for prompt in prompts.all where !prompt.isBeingAnswered {
      if isOver(prompt), let app = apps[prompt.record.key.app] {
        // An expired token counts as a dismissal.
        if prompt.record.kind != .authorization { backOff(.init(prompt.record.kind), prompt.library, app.record) }
        giveBackQuestion(prompt)
        close(prompt)
        continue
      }
      let left = prompt.record.asked.advanced(by: BrokerLimits.promptLifetime).distance(from: environment.now)
      // A date far in the future comes from a wall clock that ran ahead.
      if left <= .zero || left > BrokerLimits.promptLifetime * 2 {
        store.commit([.removePrompt(prompt.record.identifier)]) { _ in }
        close(prompt)
      } else {
        let due = environment.monotonic + left
        next = min(next ?? due, due)
      }
    }
    return next
  }

  private static let timeNotedAfter = Duration.seconds(300)

  /// Stores the present time, so that expired grants stay expired if the wall clock is set back
  /// before the next start.
  package func noteTime() {
    timeNoted = environment.monotonic
    store.commit([.putSetting(name: SettingName.latestTime, value: latestTime.note(environment))]) { _ in }
  }

  /// Difference of the wall clock from the latest time that it has shown.
  package var clockLag: Duration {
    latestTime.read(environment).distance(from: environment.now)
  }

  private func end(_ grant: GrantState) {
    guard let library = libraries[grant.record.key.library] else { return }
    let accessor = newAccessor()
    let status = grant.status(environment)
    let role = grant.record.endSetBy ?? .owner
    // The person who set the end is known if there was no later decision.
    let isKnown = role == grant.record.role && grant.record.source != .restore
    let decider = isKnown ? grant.record.decider : library.record.owner
    let edit = GrantEdit(
      decider: Decider(uid: decider, role: role, origin: "expiry", source: .expiry),
      action: "expire",
      change: { record in
        record.status = status
        record.setEnd(nil, by: nil)
        record.setPaused(false, by: nil)
        record.accessor = accessor
      }, completion: { _ in })
    editor.submit(edit, on: grant, in: library)
  }
}
