import Broker
import EventLoop
import Monitor
import PhotoModel
import PluginHost
import PluginKit

/// One library's album policies, and the questions to them: one for each grant. The answer decides
/// which albums the grant's app sees.
final class AlbumPolicyService: LibraryService {
  private(set) var plugins: PluginAlbumPolicies
  let context: LibraryContext

  private var asking: [ObjectIdentifier: Asking] = [:]
  /// Grants whose albums are hidden because their policies do not answer.
  private var silent: [ObjectIdentifier: SilentPolicy] = [:]
  /// Grants whose policies are asked one after the other, since nobody waits. Each counts as asked
  /// already.
  private var unasked: [GrantState] = []
  /// Whether these questions are running, or wait for a pause.
  private var isAskingInTurn = false
  /// Number of questions so far for which somebody waited.
  private var ownQuestions = 0

  private static let goneAlbums = 1_000
  /// Other grants' questions wait for a pause of this length without album changes by apps, at most
  /// `longestQuiet` times. Otherwise an app that changes albums in a row could measure the number
  /// of other grants.
  private static let quiet = Duration.milliseconds(20)
  private static let longestQuiet = 25

  /// Timeout of a wait for a policy: the time that a new process may take.
  private static let patience = IsolatedAlbumPolicy.startDeadline

  init(_ context: LibraryContext) {
    self.context = context
    plugins = context.factory.albumPolicies(for: context.library.record)
  }

  /// Ends all waits, because the library is gone. Call it after the workers' stop.
  func stop() {
    let waiting = asking.values.flatMap(\.everyWaiting)
    asking = [:]
    silent = [:]
    for body in waiting { body() }
    let plugins = plugins
    // Ending a process can take a moment, and nobody waits for it.
    _ = DetachedThread.start { plugins.stop() }
  }

  /// Asks several grants' policies, one after the other. Silent policies come last, and nobody
  /// waits for them.
  func compileAlbums(
    for grants: [GrantState], about subject: AlbumSubject = .everything, _ completion: @escaping () -> Void
  ) {
    // All grants count as asked from now on, so that no app is told of an album before its policy
    // has decided.
    for grant in grants { want(subject, of: grant) }
    let completion = inTime(completion)
    let silent = grants.filter(isSilent)
    askPolicies(of: grants.filter { !isSilent($0) }[...]) { [self] in
      completion()
      askPolicies(of: silent[...]) {}
    }
  }

  private func askPolicies(of grants: ArraySlice<GrantState>, _ completion: @escaping () -> Void) {
    guard let grant = grants.first else { return completion() }
    ask(grant) { [self] in askPolicies(of: grants.dropFirst(), completion) }
  }

  /// Asks one grant's policy, then other grants', one question at a time, so that the others never
  /// delay the own answer. They are noted while the policy works, so that the caller cannot measure
  /// their number.
  func compileAlbums(
    _ subject: AlbumSubject, first grant: GrantState, others: () -> [GrantState], _ completion: @escaping () -> Void
  ) {
    want(subject, of: grant, isOwn: true)
    ownQuestions += 1
    let isSilent = isSilent(grant)
    let answered = inTime { [self] in
      completion()
      guard !isAskingInTurn, !unasked.isEmpty else { return }
      isAskingInTurn = true
      askInTurnWhenQuiet(since: ownQuestions, left: Self.longestQuiet)
    }
    ask(grant, isSilent ? {} : answered)
    if isSilent { workers.later(answered) }
    for other in others() {
      let isNew = asking[ObjectIdentifier(other), default: Asking()].wantInTurn(
        subject, isOfVisible: subject.concerns(other.albums))
      if isNew { unasked.append(other) }
    }
  }

  private func askInTurnWhenQuiet(since count: Int, left: Int) {
    workers.loop.schedule(after: Self.quiet) { [self] in
      guard !workers.isStopped else { return }
      if count == ownQuestions || left == 0 { return askInTurn() }
      askInTurnWhenQuiet(since: ownQuestions, left: left - 1)
    }
  }

  private func askInTurn() {
    // A silent policy would delay all others. Its retry covers everything anyway.
    while let grant = unasked.first, isSilent(grant) {
      asking[ObjectIdentifier(grant)]?.hasTurn = false
      unasked.removeFirst()
    }
    isAskingInTurn = !unasked.isEmpty
    guard isAskingInTurn else { return }
    let grant = unasked.removeFirst()
    asking[ObjectIdentifier(grant)]?.hasTurn = false
    ask(grant) { [self] in askInTurn() }
  }

  /// Asks the grant's album policy about all albums. Until it answers, a widened grant shows no
  /// more, and a narrowed one no albums.
  func compileAlbums(for grant: GrantState) {
    want(.everything, of: grant)
    ask(grant) {}
  }

  /// Notes a question. Call `ask` afterwards.
  private func want(_ subject: AlbumSubject, of grant: GrantState, isOwn: Bool = false) {
    let isOfVisible = isOwn || subject.concerns(grant.albums)
    asking[ObjectIdentifier(grant), default: Asking()].want(subject, isOfVisible: isOfVisible)
  }

  /// Asks a grant's noted questions now, or after the running one.
  /// - Parameter completion: Runs after all questions noted so far are answered, and never
  ///   synchronously.
  private func ask(_ grant: GrantState, _ completion: @escaping () -> Void) {
    guard !workers.isStopped, asking[ObjectIdentifier(grant)]?.wait(completion) ?? false else {
      return workers.later(completion)
    }
    askNext(grant)
  }

  private func askNext(_ grant: GrantState) {
    let key = ObjectIdentifier(grant)
    guard let subject = asking[key]?.begin() else { return }
    put(subject, to: grant) { [self] in
      guard var waiting = asking[key]?.end() else { return }
      if isSilent(grant) { waiting += asking[key]?.release() ?? [] }
      if asking[key]?.isOver ?? true { asking[key] = nil }
      // A question that nobody waits for has its turn later.
      if asking[key]?.isAwaited ?? false { askNext(grant) }
      for body in waiting { body() }
    }
  }

  private func put(_ subject: AlbumSubject, to grant: GrantState, _ completion: @escaping () -> Void) {
    let basis = Self.basis(of: grant)
    // Without a full answer of the present policy, all albums have to be asked about.
    var about: Set<AlbumIdentifier>?
    // Deleted albums stay in the visible set until all albums are asked about again, which bounds
    // it.
    let isStale = grant.albums.visibleCount.map { $0 > 2 * library.albums.values.count + Self.goneAlbums } ?? false
    if case .albums(let some) = subject, grant.albumBasis == basis, !isStale { about = some }
    let albums = about.map { $0.compactMap { library.albums[$0] } } ?? Array(library.albums.values)
    if about != nil, albums.isEmpty { return workers.later(completion) }
    let question = AlbumQuestion(app: grant.record.key.app, isLimited: basis.isLimited, albums: albums)
    let plugins = plugins
    workers.attempt(.decide) { () throws(StorageFailure) -> AlbumAccess in
      try plugins.access(basis.policy, question)
    } then: { [self] result in
      // An answer from old options or from a replaced policy does not count.
      if plugins === self.plugins, Self.basis(of: grant) == basis {
        switch result {
        case .failure(let failure):
          broker.setAlbums(.none, of: grant, basis: nil)
          noteSilence(of: grant, basis.policy, failure.message)
        case .success(let answer):
          if silent.removeValue(forKey: ObjectIdentifier(grant)) != nil { showSilence() }
          if let about {
            // The basis may have changed meanwhile, for instance after a timeout.
            if grant.albumBasis == basis {
              broker.setAlbums(grant.albums.taking(answer, about: about), of: grant, basis: basis)
            } else {
              compileAlbums(for: grant)
            }
          } else {
            broker.setAlbums(answer, of: grant, basis: basis)
          }
        }
      }
      completion()
    }
  }

  /// Sets a retry of a silent policy with backoff.
  private func noteSilence(of grant: GrantState, _ policy: String, _ message: String) {
    let key = ObjectIdentifier(grant)
    let before = silent[key].flatMap { $0.policy == policy ? $0 : nil }
    var now = before ?? SilentPolicy(policy, message)
    if before?.message != message || before == nil {
      workers.log.warning(
        "an album policy does not answer; its albums are hidden, and it is asked again",
        ["library": "\(library.record.name)", "reason": message])
    }
    now.note(message)
    now.isAnother = false
    let isRetrySet = now.isRetrySet
    now.isRetrySet = true
    silent[key] = now
    showSilence()
    guard !isRetrySet else { return }
    workers.loop.schedule(after: now.pause) { [weak self, weak grant] in
      guard let self, !self.workers.isStopped else { return }
      self.silent[key]?.isRetrySet = false
      guard let grant, self.broker.grants(in: self.library.record.name).contains(where: { $0 === grant }) else {
        if self.silent.removeValue(forKey: key) != nil { self.showSilence() }
        return
      }
      // A running question may still be answered, and is retried otherwise.
      if self.silent[key] != nil, !(self.asking[key]?.isUnderWay ?? false) { self.compileAlbums(for: grant) }
    }
  }

  private func showSilence() {
    status.silentPolicy = silent.values.min(by: { $0.policy < $1.policy }).map { first in
      Reason(
        .policySilent,
        "The album policy \"\(first.policy)\" does not answer, so its apps see no albums. It is asked again: "
          + first.message, ["policy": first.policy])
    }
    status.show()
  }

  private static func basis(of grant: GrantState) -> AlbumBasis {
    AlbumBasis(
      policy: grant.record.status == .authorized ? "full" : grant.record.albumPolicy,
      isLimited: grant.record.status == .limited)
  }

  /// Whether the grant's policy failed last time. Its albums are hidden, and nobody waits for its
  /// retry.
  private func isSilent(_ grant: GrantState) -> Bool {
    guard let silent = silent[ObjectIdentifier(grant)] else { return false }
    return !silent.isAnother && silent.policy == Self.basis(of: grant).policy
  }

  /// Whether an answer of the grant's policy is pending.
  func isAskingPolicy(of grant: GrantState) -> Bool { asking[ObjectIdentifier(grant)] != nil && !isSilent(grant) }

  /// Whether an answer about albums that the app already sees is pending. Others' albums are no
  /// reason to wait.
  func isAskingOfVisibleAlbums(_ grant: GrantState) -> Bool {
    (asking[ObjectIdentifier(grant)]?.isOfVisible ?? false) && !isSilent(grant)
  }

  /// Runs `body` when the grant's policy has answered all questions so far. On a timeout the
  /// grant's albums are hidden first.
  func whenPolicyAnswered(for grant: GrantState, _ body: @escaping () -> Void) {
    ask(grant, inTime(body) { [self] in giveUp(on: grant) })
  }

  /// Returns a function that runs `body` once. A timeout runs `late` and `body` instead.
  private func inTime(_ body: @escaping () -> Void, late: @escaping () -> Void = {}) -> () -> Void {
    var waiting: (() -> Void)? = body
    func end() {
      let body = waiting
      waiting = nil
      body?()
    }
    let timer = workers.loop.schedule(after: Self.patience) {
      guard waiting != nil else { return }
      late()
      end()
    }
    return { [workers] in
      workers.loop.cancel(timer)
      end()
    }
  }

  /// Hides a grant's albums after its policy's timeout, because they may no longer be allowed.
  private func giveUp(on grant: GrantState) {
    let key = ObjectIdentifier(grant)
    guard !workers.isStopped, asking[key] != nil else { return }
    let policy = Self.basis(of: grant).policy
    broker.setAlbums(.none, of: grant, basis: nil)
    noteSilence(of: grant, policy, "albumPolicy(\(policy)): It did not answer in time.")
    for body in asking[key]?.release() ?? [] { body() }
  }

  /// Runs `body` when a grant's policy has answered all questions so far, which keep their turns.
  func afterPolicyAnswered(for grant: GrantState, _ body: @escaping () -> Void) {
    if !(asking[ObjectIdentifier(grant)]?.wait(inTurn: true, body) ?? false) { workers.later(body) }
  }

  /// Adopts policies with new options, and asks about every grant again.
  func changePolicies(_ completion: @escaping () -> Void) {
    let before = plugins
    plugins = factory.albumPolicies(for: library.record)
    expectAnswers()
    // Running questions are still answered, then their processes end.
    _ = DetachedThread.start { before.stop() }
    compileAlbums(for: broker.grants(in: library.record.name), completion)
  }

  func compileAlbums() {
    expectAnswers()
    for grant in broker.grants(in: library.record.name) { compileAlbums(for: grant) }
  }

  /// A replaced policy's failures do not count for the new one.
  private func expectAnswers() { for key in silent.keys { silent[key]?.isAnother = true } }
}
