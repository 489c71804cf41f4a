import Broker
import Monitor
import PhotoModel
import PluginKit

/// What album policies and the cloud mapping answer.
extension LibraryRuntime {
  /// Has several grants' policies answer, one after the other.
  func compileAlbums(for grants: [GrantState], _ completion: @escaping () -> Void) {
    // All count as asked from now on, so that nobody is told of an album before its policy has said whether it is shown.
    for grant in grants { asking[ObjectIdentifier(grant), default: Asking()].questions += 1 }
    askPolicies(of: grants[...], completion)
  }

  private func askPolicies(of grants: ArraySlice<GrantState>, _ completion: @escaping () -> Void) {
    guard let grant = grants.first else { return completion() }
    askPolicy(of: grant) { [self] in askPolicies(of: grants.dropFirst(), completion) }
  }

  /// Has one grant's policy answer, and then those of others, one at a time: however many there are and however often this is
  /// called, never more than one of their questions is under way, so that nobody's own answer comes later for them.
  func compileAlbums(first grant: GrantState, others: [GrantState], _ completion: @escaping () -> Void) {
    var waiting = Set(unasked.map(ObjectIdentifier.init))
    for other in others where waiting.insert(ObjectIdentifier(other)).inserted {
      asking[ObjectIdentifier(other), default: Asking()].questions += 1
      unasked.append(other)
    }
    compileAlbums(for: grant) { [self] in
      completion()
      if !isAskingInTurn { askInTurn() }
    }
  }

  private func askInTurn() {
    isAskingInTurn = !unasked.isEmpty
    guard isAskingInTurn else { return }
    askPolicy(of: unasked.removeFirst()) { [self] in askInTurn() }
  }

  /// Has the grant's album policy answer; until it has, nothing changes for a grant that widened and nothing is visible
  /// where it narrowed.
  func compileAlbums(for grant: GrantState, _ completion: @escaping () -> Void = {}) {
    asking[ObjectIdentifier(grant), default: Asking()].questions += 1
    askPolicy(of: grant, completion)
  }

  private func askPolicy(of grant: GrantState, _ completion: @escaping () -> Void) {
    let policy = Self.policy(of: grant)
    let number = (asking[ObjectIdentifier(grant)]?.asked ?? 0) + 1
    asking[ObjectIdentifier(grant)]?.asked = number
    let question = AlbumQuestion(
      app: grant.record.key.app, isLimited: grant.record.status == .limited,
      albums: Array(library.albums.values))
    let policies = policies
    work(readers) { () -> Result<AlbumAccess, StorageFailure> in
      Result { () throws(StorageFailure) in try policies.access(policy, question) }
    } then: { [self] result in
      if case .failure(let failure) = result, policies === self.policies {
        core.log.warning(
          "an album policy does not answer; its albums are hidden", ["library": "\(library.record.name)", "reason": failure.message])
      }
      // With other options everything was asked anew, and an answer by the old ones comes too late to count.
      // Neither does one to an older question than one that was answered, nor one by a policy that the grant no longer has.
      let isLatest = number > asking[ObjectIdentifier(grant)]?.answered ?? 0
      if isLatest { asking[ObjectIdentifier(grant)]?.answered = number }
      let isMeant = Self.policy(of: grant) == policy && (grant.record.status == .limited) == question.isLimited
      if policies === self.policies, isLatest, isMeant { core.broker.setAlbums((try? result.get()) ?? .none, of: grant) }
      didAnswer(grant)
      completion()
    }
  }

  private static func policy(of grant: GrantState) -> String {
    grant.record.status == .authorized ? "full" : grant.record.albumPolicy
  }

  /// Questions to a grant's policy that are on their way, and who waits for the last answer.
  struct Asking {
    var questions = 0
    /// How many were put, and which of those answered was put last: answers can come in another order.
    var asked = 0
    var answered = 0
    var waiting: [() -> Void] = []
  }

  func isAskingPolicy(of grant: GrantState) -> Bool { asking[ObjectIdentifier(grant)] != nil }

  /// Runs something when a grant's policy has answered all that it was asked; at most the policy's deadline later.
  func whenPolicyAnswered(for grant: GrantState, _ body: @escaping () -> Void) {
    guard isAskingPolicy(of: grant) else { return body() }
    asking[ObjectIdentifier(grant)]?.waiting.append(body)
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

  private func didAnswer(_ grant: GrantState) {
    let key = ObjectIdentifier(grant)
    asking[key]?.questions -= 1
    guard let state = asking[key], state.questions <= 0 else { return }
    asking[key] = nil
    for body in state.waiting { body() }
  }

  /// Has the cloud mapping name items.
  /// - Parameter completion: Nil where it does not answer; the operator is told why.
  func nameItems(_ items: [CloudItem], application: String, _ completion: @escaping ([String?]?) -> Void) {
    let mapping = mapping
    work(readers) { () -> Result<[String?], StorageFailure> in
      Result { () throws(StorageFailure) in try mapping.names(of: items, application: application) }
    } then: { [self] result in
      if case .failure(let failure) = result {
        core.log.warning("cloud identifiers cannot be mapped", ["library": "\(library.record.name)", "reason": failure.message])
      }
      completion(try? result.get())
    }
  }
}
