import Limits
import PhotoModel

/// Who decides and sees in a library beside its owner; nil leaves it.
package struct Delegation: Sendable {
  /// All of them: who is left out is one no longer.
  package var coOwners: Set<UInt32>?
  package var administratorsSee: Bool?
  package var administratorsDecide: Bool?

  package init(coOwners: Set<UInt32>? = nil, administratorsSee: Bool? = nil, administratorsDecide: Bool? = nil) {
    self.coOwners = coOwners
    self.administratorsSee = administratorsSee
    self.administratorsDecide = administratorsDecide
  }
}

extension AdminSession {
  /// Says who decides in a library beside its owner (R126, R130). For the owner alone; a co-owner can leave. Who is left out
  /// is out at once, who is let in is so after the commit.
  /// - Parameters:
  ///   - earlier: the decision that this takes back.
  ///   - number: learns the number of this one.
  /// - Throws (by `completion`): `notFound`, `notPermitted`, `refused`, `failed`.
  package func delegate(
    _ name: LibraryName, _ delegation: Delegation, undoing earlier: UInt64? = nil, number: DecisionNumber? = nil,
    completion: @escaping (Result<LibraryState, BrokerError>) -> Void
  ) {
    do throws(BrokerError) {
      let library = try library(name)
      let before = library.record
      var record = library.planned
      if let users = delegation.coOwners { record.coOwners = users.subtracting([record.owner]) }
      record.administratorsSee = delegation.administratorsSee ?? record.administratorsSee
      record.administratorsDecide = delegation.administratorsDecide ?? record.administratorsDecide
      var left = library.planned
      left.coOwners.remove(uid)
      guard before.owner == uid || owns(library) && record == left else {
        throw BrokerError(.notPermitted, "Only the library's first owner says who decides in it; a co-owner can only leave.")
      }
      guard record.coOwners.count <= BrokerLimits.coOwnersPerLibrary else {
        throw BrokerError(.refused, "A library has at most \(BrokerLimits.coOwnersPerLibrary) co-owners.")
      }
      let decider = decider(in: library, source: earlier == nil ? .settings : .undo)
      let change = DecisionChange.library(before: LibraryRights(library.planned), after: LibraryRights(record))
      library.planned = record
      library.record.coOwners.formIntersection(record.coOwners)
      library.record.administratorsSee = before.administratorsSee && record.administratorsSee
      library.record.administratorsDecide = before.administratorsDecide && record.administratorsDecide
      let decision = DecisionRecord(
        time: broker.environment.now, by: decider, action: earlier == nil ? "delegate" : "undo", library: name,
        before: before.delegated, after: record.delegated, undoes: earlier)
      var changes: [StoreChange] = [.putLibrary(record), .decide(decision, change: change, number: number)]
      if library.record.owners != before.owners || library.record.administratorsSee != before.administratorsSee
        || library.record.administratorsDecide != before.administratorsDecide
      {
        changes.append(broker.narrowingMark())
      }
      broker.store.keep(changes) { [broker] failure in
        if let failure {
          library.planned = library.record
          return completion(.failure(.notKept(failure, narrowed: true)))
        }
        library.record.coOwners = record.coOwners
        library.record.administratorsSee = record.administratorsSee
        library.record.administratorsDecide = record.administratorsDecide
        broker.delegate?.promptsChanged(owners: before.owners.union(record.owners))
        completion(.success(library))
      }
    } catch {
      completion(.failure(error))
    }
  }
}

extension LibraryRecord {
  /// For the record of decisions.
  var delegated: String {
    var words = ["owner \(owner)"]
    if !coOwners.isEmpty { words.append("co-owners " + coOwners.sorted().map(String.init).joined(separator: " ")) }
    if administratorsSee { words.append("administrators see") }
    if administratorsDecide { words.append("administrators decide") }
    return words.joined(separator: ", ")
  }
}
