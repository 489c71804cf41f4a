import Broker
import EventLoop
import Monitor
import PhotoModel
import PluginKit

/// What album policies and the cloud mapping answer.
extension LibraryRuntime {
  private static let goneAlbums = 1_000
  /// Others' questions wait until no app has changed albums for so long, and for so many times that at most: an app that changes
  /// one album after the other would otherwise feel how many others there are.
  private static let quiet = Duration.milliseconds(20)
  private static let longestQuiet = 25

  /// Has several grants' policies answer, one after the other.
  func compileAlbums(for grants: [GrantState], about subject: AlbumSubject = .everything, _ completion: @escaping () -> Void) {
    // All count as asked from now on, so that nobody is told of an album before its policy has said whether it is shown.
    for grant in grants { want(subject, of: grant) }
    askPolicies(of: grants[...], completion)
  }

  private func askPolicies(of grants: ArraySlice<GrantState>, _ completion: @escaping () -> Void) {
    guard let grant = grants.first else { return completion() }
    ask(grant) { [self] in askPolicies(of: grants.dropFirst(), completion) }
  }

  /// Has one grant's policy answer, and then those of others, one at a time: however many there are and however often this is
  /// called, never more than one of their questions is under way, so that nobody's own answer comes later for them. They are noted
  /// in the same turn, while the policy thinks: how many there are is not to be felt by whoever waits for its answer.
  func compileAlbums(
    _ subject: AlbumSubject, first grant: GrantState, others: () -> [GrantState], _ completion: @escaping () -> Void
  ) {
    want(subject, of: grant, isOwn: true)
    ownQuestions += 1
    ask(grant) { [self] in
      completion()
      guard !isAskingInTurn, !unasked.isEmpty else { return }
      isAskingInTurn = true
      askInTurnWhenQuiet(since: ownQuestions, left: Self.longestQuiet)
    }
    for other in others() {
      let isNew = asking[ObjectIdentifier(other), default: Asking()].wantInTurn(subject, isOfVisible: subject.concerns(other.albums))
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
      guard let waiting = asking[key]?.end() else { return }
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
    work(readers) { () -> Result<AlbumAccess, StorageFailure> in
      Result { () throws(StorageFailure) in try policies.access(basis.policy, question) }
    } then: { [self] result in
      // With other options everything is asked anew, and an answer by the old ones comes too late to count. So does one by a
      // policy that the grant no longer has.
      if policies === self.policies, Self.basis(of: grant) == basis {
        switch result {
        case .failure(let failure):
          core.broker.setAlbums(.none, of: grant, basis: nil)
          noteSilence(of: grant, basis.policy, failure.message)
        case .success(let answer):
          if silent.removeValue(forKey: ObjectIdentifier(grant)) != nil { showProblem() }
          if let about {
            // What the grant had may be gone meanwhile; whoever took it away has everything asked.
            if grant.albumBasis == basis { core.broker.setAlbums(grant.albums.taking(answer, about: about), of: grant, basis: basis) }
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
      if self.silent[key] != nil { self.compileAlbums(for: grant) }
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
      policy: grant.record.status == .authorized ? "full" : grant.record.albumPolicy, isLimited: grant.record.status == .limited)
  }

  func isAskingPolicy(of grant: GrantState) -> Bool { asking[ObjectIdentifier(grant)] != nil }

  /// Whether albums that the app sees already hang on an answer of its policy, or all of them. What others do with albums that it
  /// does not see is no reason to wait.
  func isAskingOfVisibleAlbums(_ grant: GrantState) -> Bool { asking[ObjectIdentifier(grant)]?.isOfVisible ?? false }

  /// Runs something when a grant's policy has answered all that is wanted by now, which is asked at once; at most the policy's
  /// deadline later.
  func whenPolicyAnswered(for grant: GrantState, _ body: @escaping () -> Void) { ask(grant, body) }

  /// The same, without asking before its turn.
  func afterPolicyAnswered(for grant: GrantState, _ body: @escaping () -> Void) {
    if !(asking[ObjectIdentifier(grant)]?.wait(inTurn: true, body) ?? false) { core.later(body) }
  }

  /// Takes policies with other options from now on, and has every grant's policy answered anew.
  func changePolicies(_ completion: @escaping () -> Void) {
    let before = policies
    policies = core.factory.albumPolicies(for: library.record)
    // Those that are asked right now answer, and then find their process gone.
    _ = DetachedThread.start { before.stop() }
    compileAlbums(for: core.broker.grants(in: library.record.name), completion)
  }

  /// Has every grant's policy answered anew.
  func compileAlbums() { for grant in core.broker.grants(in: library.record.name) { compileAlbums(for: grant) } }

  /// The cloud mapping is another plugin's now, or has come or gone.
  func renewMapping() {
    mapping.renew()
    cloud.forget()
  }

  /// Has the cloud mapping name items.
  /// - Parameter completion: Nil where it does not answer; the operator is told why.
  func nameItems(_ items: [CloudItem], application: String, _ completion: @escaping ([String?]?) -> Void) {
    let mapping = mapping
    let completion = answered { (result: Result<[String?]?, BrokerError>) in completion((try? result.get()) ?? nil) }
    work(readers) { () -> Result<[String?], StorageFailure> in
      Result { () throws(StorageFailure) in try mapping.names(of: items, application: application) }
    } then: { [self] result in
      if case .failure(let failure) = result {
        core.log.warning("cloud identifiers cannot be mapped", ["library": "\(library.record.name)", "reason": failure.message])
      }
      completion(.success(try? result.get()))
    }
  }
}
