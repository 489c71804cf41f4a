import Limits
import PhotoModel

extension Broker {
  /// Does what time has made due: grants that ended are ended for good, questions that waited too long are withdrawn,
  /// and so are questions and pickers whose tokens have ended.
  /// Nothing depends on its being called in time: admission and release look at the clocks themselves.
  /// - Returns: when to call again, on the monotonic clock; nil where nothing is to come.
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
        // Whoever asks and lets the token end shows it as often as whoever has it put aside.
        if let kind = DismissalHistory.Kind(prompt.record.kind) { noteDismissal(kind, prompt.library, app.record) }
        giveBackQuestion(prompt)
        close(prompt)
        continue
      }
      let left = prompt.record.asked.advanced(by: BrokerLimits.promptLifetime).distance(from: environment.now)
      // Also one that a clock which ran ahead has dated far into the future.
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

  /// Keeps what time it is, so that what has ended by now has ended also for a broker that starts
  /// with a clock that was set back.
  package func noteTime() {
    timeNoted = environment.monotonic
    store.commit([.putSetting(name: SettingName.latestTime, value: latestTime.note(environment))]) { _ in }
  }

  /// By how much the wall clock is behind what it has shown before.
  package var clockLag: Duration {
    latestTime.read(environment).distance(from: environment.now)
  }

  private func end(_ grant: GrantState) {
    guard let library = libraries[grant.record.key.library] else { return }
    let accessor = newAccessor()
    let status = grant.status(environment)
    let role = grant.record.endSetBy ?? .owner
    // Who set the end is known where nobody decided since.
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
