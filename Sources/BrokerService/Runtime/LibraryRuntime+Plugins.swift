import Broker
import EventLoop
import Monitor
import PhotoModel
import PluginHost
import PluginKit

/// What album policies and the cloud mapping answer.
extension LibraryRuntime {
  private static let goneAlbums = 1_000
  /// Others' questions wait until no app has changed albums for so long, and for so many times that
  /// at most: an app that changes one album after the other would otherwise feel how many others
  /// there are.
  private static let quiet = Duration.milliseconds(20)
  private static let longestQuiet = 25

  /// Who waits for a policy does so for as long as one may take that has to be started, and no longer.
  private static let patience = IsolatedAlbumPolicy.startDeadline

  /// Has several grants' policies answer, one after the other, those last that are silent: for them nobody waits.
  func compileAlbums(
    for grants: [GrantState], about subject: AlbumSubject = .everything, _ completion: @escaping () -> Void
  ) {
    // All count as asked from now on, so that nobody is told of an album before its policy has said
    // whether it is shown.
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

  /// Has one grant's policy answer, and then those of others, one at a time: however many there are
  /// and however often this is called, never more than one of their questions is under way, so that
  /// nobody's own answer comes later for them. They are noted in the same turn, while the policy
  /// thinks: how many there are is not to be felt by whoever waits for its answer.
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
    if isSilent { core.later(answered) }
    for other in others() {
      let isNew = asking[ObjectIdentifier(other), default: Asking()].wantInTurn(
        subject, isOfVisible: subject.concerns(other.albums))
      if isNew { unasked.append(other) }
    }
  }

  private func askInTurnWhenQuiet(since count: Int, left: Int) {
    core.loop.schedule(after: Self.quiet) { [self] in
      guard !isStopped else { return }
      if count == ownQuestions || left == 0 { return askInTurn() }
      askInTurnWhenQuiet(since: ownQuestions, left: left - 1)
    }
  }

  private func askInTurn() {
    // A silent one is asked about everything when it is asked again, and would hold up all others.
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

  /// Has the grant's album policy answer; until it has, nothing changes for a grant that widened and nothing is visible
  /// where it narrowed.
  func compileAlbums(for grant: GrantState) {
    want(.everything, of: grant)
    ask(grant) {}
  }

  /// Notes what is to be asked. Call `ask` afterwards.
  private func want(_ subject: AlbumSubject, of grant: GrantState, isOwn: Bool = false) {
    let isOfVisible = isOwn || subject.concerns(grant.albums)
    asking[ObjectIdentifier(grant), default: Asking()].want(subject, isOfVisible: isOfVisible)
  }

  /// Asks what is wanted of a grant's policy now, or after what it is being asked already.
  /// - Parameter completion: Runs when all that is wanted by now is answered; never from inside.
  private func ask(_ grant: GrantState, _ completion: @escaping () -> Void) {
    guard !isStopped, asking[ObjectIdentifier(grant)]?.wait(completion) ?? false else { return core.later(completion) }
    askNext(grant)
  }

  private func askNext(_ grant: GrantState) {
    let key = ObjectIdentifier(grant)
    guard let subject = asking[key]?.begin() else { return }
    put(subject, to: grant) { [self] in
      guard var waiting = asking[key]?.end() else { return }
      if isSilent(grant) { waiting += asking[key]?.release() ?? [] }
      if asking[key]?.isOver ?? true { asking[key] = nil }
      // What is wanted by nobody who waits has its turn later.
      if asking[key]?.isAwaited ?? false { askNext(grant) }
      for body in waiting { body() }
    }
  }

  private func put(_ subject: AlbumSubject, to grant: GrantState, _ completion: @escaping () -> Void) {
    let basis = Self.basis(of: grant)
    // Of a grant that was not answered for all albums, or by another policy, nothing is known that still holds.
    var about: Set<AlbumIdentifier>?
    // Albums that are gone stay among the visible ones until all are asked about again, which this bounds.
    let isStale = grant.albums.visibleCount.map { $0 > 2 * library.albums.count + Self.goneAlbums } ?? false
    if case .albums(let some) = subject, grant.albumBasis == basis, !isStale { about = some }
    let albums = about.map { $0.compactMap { library.albums[$0] } } ?? Array(library.albums.values)
    if about != nil, albums.isEmpty { return core.later(completion) }
    let question = AlbumQuestion(app: grant.record.key.app, isLimited: basis.isLimited, albums: albums)
    let policies = policies
    // Threads of their own: a policy that hangs keeps nobody from reading.
    if deciding == nil { deciding = try? Worker(name: "decide", threads: Self.decidingThreads) }
    work(deciding) { () -> Result<AlbumAccess, StorageFailure> in
      Result { () throws(StorageFailure) in try policies.access(basis.policy, question) }
    } then: { [self] result in
      // With other options everything is asked anew, and an answer by the old ones comes too late
      // to count. So does one by a policy that the grant no longer has.
      if policies === self.policies, Self.basis(of: grant) == basis {
        switch result {
        case .failure(let failure):
          core.broker.setAlbums(.none, of: grant, basis: nil)
          noteSilence(of: grant, basis.policy, failure.message)
        case .success(let answer):
          if silent.removeValue(forKey: ObjectIdentifier(grant)) != nil { showProblem() }
          if let about {
            // What the grant had may be gone meanwhile, as where this came too late.
            if grant.albumBasis == basis {
              core.broker.setAlbums(grant.albums.taking(answer, about: about), of: grant, basis: basis)
            } else {
              compileAlbums(for: grant)
            }
          } else {
            core.broker.setAlbums(answer, of: grant, basis: basis)
          }
        }
      }
      completion()
    }
  }

  /// Asks the policy again after a while: whatever held it up may pass.
  private func noteSilence(of grant: GrantState, _ policy: String, _ message: String) {
    let key = ObjectIdentifier(grant)
    let before = silent[key].flatMap { $0.policy == policy ? $0 : nil }
    var now = before ?? SilentPolicy(policy, message)
    if before?.message != message || before == nil {
      core.log.warning(
        "an album policy does not answer; its albums are hidden, and it is asked again",
        ["library": "\(library.record.name)", "reason": message])
    }
    now.note(message)
    now.isAnother = false
    let isRetrySet = now.isRetrySet
    now.isRetrySet = true
    silent[key] = now
    showProblem()
    guard !isRetrySet else { return }
    core.loop.schedule(after: now.pause) { [weak self, weak grant] in
      guard let self, !self.isStopped else { return }
      self.silent[key]?.isRetrySet = false
      guard let grant, self.core.broker.grants(in: self.library.record.name).contains(where: { $0 === grant }) else {
        if self.silent.removeValue(forKey: key) != nil { self.showProblem() }
        return
      }
      // What it is being asked it may yet answer, and if not it is asked again.
      if self.silent[key] != nil, !(self.asking[key]?.isUnderWay ?? false) { self.compileAlbums(for: grant) }
    }
  }

  /// What its owner is told of policies that do not answer.
  var silentPolicies: Reason? {
    guard let first = silent.values.min(by: { $0.policy < $1.policy }) else { return nil }
    return Reason(
      .policySilent,
      "The album policy \"\(first.policy)\" does not answer, so that apps for which it decides see no albums; it is asked again: "
        + first.message, ["policy": first.policy])
  }

  private static func basis(of grant: GrantState) -> AlbumBasis {
    AlbumBasis(
      policy: grant.record.status == .authorized ? "full" : grant.record.albumPolicy,
      isLimited: grant.record.status == .limited)
  }

  /// Whether the grant's policy failed when it was asked last. Its albums are hidden, and while it
  /// is asked again nobody waits for it.
  private func isSilent(_ grant: GrantState) -> Bool {
    guard let silent = silent[ObjectIdentifier(grant)] else { return false }
    return !silent.isAnother && silent.policy == Self.basis(of: grant).policy
  }

  /// Whether there is an answer of the grant's policy to wait for.
  func isAskingPolicy(of grant: GrantState) -> Bool { asking[ObjectIdentifier(grant)] != nil && !isSilent(grant) }

  /// The same, where albums that the app sees already hang on it, or all of them. What others do
  /// with albums that it does not see is no reason to wait.
  func isAskingOfVisibleAlbums(_ grant: GrantState) -> Bool {
    (asking[ObjectIdentifier(grant)]?.isOfVisible ?? false) && !isSilent(grant)
  }

  /// Runs something when a grant's policy has answered all that is wanted by now, which is asked at
  /// once. Where that takes too long the grant's albums are hidden first.
  func whenPolicyAnswered(for grant: GrantState, _ body: @escaping () -> Void) {
    ask(grant, inTime(body) { [self] in giveUp(on: grant) })
  }

  /// Runs something once: when what is returned is called or, after `late`, when nobody waits any longer.
  private func inTime(_ body: @escaping () -> Void, late: @escaping () -> Void = {}) -> () -> Void {
    var waiting: (() -> Void)? = body
    func end() {
      let body = waiting
      waiting = nil
      body?()
    }
    let timer = core.loop.schedule(after: Self.patience) {
      guard waiting != nil else { return }
      late()
      end()
    }
    return { [core] in
      core.loop.cancel(timer)
      end()
    }
  }

  /// A policy keeps its app waiting: what it showed is hidden until it has answered, since nobody
  /// knows whether it still holds.
  private func giveUp(on grant: GrantState) {
    let key = ObjectIdentifier(grant)
    guard !isStopped, asking[key] != nil else { return }
    let policy = Self.basis(of: grant).policy
    core.broker.setAlbums(.none, of: grant, basis: nil)
    noteSilence(of: grant, policy, "albumPolicy(\(policy)): It did not answer in time.")
    for body in asking[key]?.release() ?? [] { body() }
  }

  /// The same, without asking before its turn.
  func afterPolicyAnswered(for grant: GrantState, _ body: @escaping () -> Void) {
    if !(asking[ObjectIdentifier(grant)]?.wait(inTurn: true, body) ?? false) { core.later(body) }
  }

  /// Takes policies with other options from now on, and has every grant's policy answered anew.
  func changePolicies(_ completion: @escaping () -> Void) {
    let before = policies
    policies = core.factory.albumPolicies(for: library.record)
    expectAnswers()
    // Those that are asked right now answer, and then find their process gone.
    _ = DetachedThread.start { before.stop() }
    compileAlbums(for: core.broker.grants(in: library.record.name), completion)
  }

  /// Has every grant's policy answered anew, which may be another plugin's now.
  func compileAlbums() {
    expectAnswers()
    for grant in core.broker.grants(in: library.record.name) { compileAlbums(for: grant) }
  }

  /// That policies failed says nothing of those that are asked from now on.
  private func expectAnswers() { for key in silent.keys { silent[key]?.isAnother = true } }

  /// The cloud mapping is another plugin's now, or has come or gone.
  func renewMapping() {
    mapping.renew()
    cloud.forget()
    let mapping = mapping
    work(readers) { () -> StorageFailure? in
      do throws(StorageFailure) { try mapping.check() } catch { return error }
      return nil
    } then: { [self] failure in
      note(failure)
    }
  }

  /// Tells the owner that the cloud mapping does not answer; nil: that it does.
  private func note(_ failure: StorageFailure?) {
    let name = library.record.plugins.cloudMapping ?? core.factory.defaultCloudMapping
    let problem = failure.map { failure in
      Reason(
        .mappingSilent,
        "The cloud mapping \"\(name)\" does not answer, so that no app finds photos again that it knows from another machine: "
          + failure.message, ["mapping": name])
    }
    guard problem != mappingProblem else { return }
    mappingProblem = problem
    showProblem()
  }

  /// Has the cloud mapping name items.
  /// - Parameter completion: Nil where it does not answer; the operator is told why.
  func nameItems(_ items: [CloudItem], application: String, _ completion: @escaping ([String?]?) -> Void) {
    let mapping = mapping
    let completion = answered { (result: Result<[String?]?, BrokerError>) in completion((try? result.get()) ?? nil) }
    work(readers) { () -> Result<[String?], StorageFailure> in
      Result { () throws(StorageFailure) in try mapping.names(of: items, application: application) }
    } then: { [self] result in
      let failure: StorageFailure? = if case .failure(let failure) = result { failure } else { nil }
      note(failure)
      if let failure {
        core.log.warning(
          "cloud identifiers cannot be mapped", ["library": "\(library.record.name)", "reason": failure.message])
      }
      completion(.success(try? result.get()))
    }
  }
}
