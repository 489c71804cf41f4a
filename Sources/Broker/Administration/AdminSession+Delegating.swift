import Limits
import PhotoModel

/// A change of the users who decide and see in a library beside its owner; nil keeps a setting.
package struct Delegation: Sendable {
  /// The complete new set: a present co-owner who is not in it loses the role.
  package var coOwners: Set<UInt32>?
  /// Relative to ``coOwners``, or to the present co-owners if that is nil. ``removing`` wins.
  package var adding: Set<UInt32>
  package var removing: Set<UInt32>
  package var administratorsSee: Bool?
  package var administratorsDecide: Bool?

  package init(
    coOwners: Set<UInt32>? = nil, adding: Set<UInt32> = [], removing: Set<UInt32> = [], administratorsSee: Bool? = nil,
    administratorsDecide: Bool? = nil
  ) {
    self.coOwners = coOwners
    self.adding = adding
    self.removing = removing
    self.administratorsSee = administratorsSee
    self.administratorsDecide = administratorsDecide
  }

  /// Reverts the change from `before` to `after`, and keeps later changes of other users.
  init(from after: LibraryRights, to before: LibraryRights) {
    self.init(
      adding: before.coOwners.subtracting(after.coOwners), removing: after.coOwners.subtracting(before.coOwners),
      administratorsSee: before.administratorsSee == after.administratorsSee ? nil : before.administratorsSee,
      administratorsDecide: before.administratorsDecide == after.administratorsDecide
        ? nil : before.administratorsDecide)
  }

  func apply(to record: inout LibraryRecord) {
    record.coOwners = (coOwners ?? record.coOwners).union(adding).subtracting(removing).subtracting([record.owner])
    if let administratorsSee { record.administratorsSee = administratorsSee }
    if let administratorsDecide { record.administratorsDecide = administratorsDecide }
  }
}

extension AdminSession {
  /// Sets the users who decide in a library beside its owner (R126, R130).
  ///
  /// Only the owner may call it; a co-owner can leave. Removal takes effect at once. A named user
  /// becomes a co-owner on accepting, or after the commit if an administrator names them. A change
  /// without effect is not recorded.
  /// - Parameters:
  ///   - earlier: the decision that this call undoes.
  ///   - number: receives the number of the new decision.
  /// - Throws (by `completion`): `notFound`, `notPermitted`, `refused`, `failed`.
  package func delegate(
    _ name: LibraryName, _ delegation: Delegation, undoing earlier: UInt64? = nil, number: DecisionNumber? = nil,
    completion: @escaping (Result<LibraryState, BrokerError>) -> Void
  ) {
    do throws(BrokerError) {
      let library = try library(name)
      try checkMayDelegate(delegation, in: library)
      var record = library.planned
      delegation.apply(to: &record)
      guard record.coOwners.count <= BrokerLimits.coOwnersPerLibrary else {
        throw BrokerError(.refused, "A library has at most \(BrokerLimits.coOwnersPerLibrary) co-owners.")
      }
      let decider = decider(in: library, source: earlier == nil ? .settings : .undo)
      let owners = library.owners
      // A co-owner who leaves changes nobody else's role, even if other settings are being stored.
      let isLeaving = record.owner != uid
      let (uid, delegation) = (uid, isLeaving ? Delegation(removing: [uid]) : delegation)
      let isForced = isAdministrator
      func apply(to record: inout LibraryRecord) {
        let before = record.coOwners
        delegation.apply(to: &record)
        let named = record.coOwners.subtracting(before)
        if isLeaving { record.joinedBy.remove(uid) }
        // An earlier acceptance ended with the removal; only an undo restores it without asking.
        if earlier == nil { record.joinedBy.subtract(named) }
        if isForced { record.joinedBy.formUnion(named) }
      }
      guard earlier != nil || !library.restates(apply) else { return completion(.success(library)) }
      let setting = library.plan(apply)
      library.keep(setting, staysNarrowed: true) { [broker] before, after in
        let decision = DecisionRecord(
          time: broker.environment.now, by: decider, action: earlier == nil ? "delegate" : "undo", library: name,
          before: before.delegated, after: after.delegated, undoes: earlier)
        return broker.changes(decision, from: before, to: after, number)
      } completion: { [broker] error in
        if let error { return completion(.failure(error)) }
        broker.delegate?.promptsChanged(owners: owners.union(library.owners))
        broker.rulesChanged(in: name)
        completion(.success(library))
      }
    } catch {
      completion(.failure(error))
    }
  }
}

extension AdminSession {
  /// - Throws: `notPermitted` to a caller other than the owner, except a co-owner who only leaves.
  func checkMayDelegate(_ delegation: Delegation, in library: LibraryState) throws(BrokerError) {
    var (record, left) = (library.planned, library.planned)
    delegation.apply(to: &record)
    left.coOwners.remove(uid)
    guard record.owner == uid || owns(library) && record == left else {
      throw BrokerError(
        .notPermitted, "Only the library's first owner says who decides in it; a co-owner can only leave.")
    }
  }
}

extension LibraryRecord {
  var delegated: String {
    var words = ["owner \(owner)"]
    if !coOwners.isEmpty { words.append("co-owners " + coOwners.sorted().map(String.init).joined(separator: " ")) }
    if administratorsSee { words.append("administrators see") }
    if administratorsDecide { words.append("administrators decide") }
    return words.joined(separator: ", ")
  }
}
