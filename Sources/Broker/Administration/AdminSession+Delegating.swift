import PhotoModel

/// A change of the users who decide and see in a library beside its owner; nil keeps a setting.
package struct Delegation: Sendable {
  /// The complete new set: a present co-owner who is not in it loses the role.
  package var coOwners: Set<UInt32>?
  package var administratorsSee: Bool?
  package var administratorsDecide: Bool?

  package init(
    coOwners: Set<UInt32>? = nil, administratorsSee: Bool? = nil, administratorsDecide: Bool? = nil
  ) {
    self.coOwners = coOwners
    self.administratorsSee = administratorsSee
    self.administratorsDecide = administratorsDecide
  }

  func apply(to rights: inout LibraryRights) {
    if let coOwners { rights.coOwners = coOwners }
    if let administratorsSee { rights.administratorsSee = administratorsSee }
    if let administratorsDecide { rights.administratorsDecide = administratorsDecide }
  }
}

extension AdminSession {
  /// Sets the users who decide in a library beside its owner (R126, R130).
  ///
  /// Only the owner may call it; a co-owner can leave. Removal takes effect at once. A named user
  /// becomes a co-owner on accepting, or after the commit if an administrator names them. A change
  /// without effect is not recorded.
  /// - Throws (by `completion`): `notFound`, `notPermitted`, `refused`, `failed`.
  package func delegate(
    _ name: LibraryName, _ delegation: Delegation,
    completion: @escaping (Result<LibraryState, BrokerError>) -> Void
  ) {
    do throws(BrokerError) {
      let library = try library(name)
      try checkMayDelegate(delegation.apply, in: library)
      try decide(.delegation, in: library, { completion($0.map { _ in library }) }, delegation.apply)
    } catch {
      completion(.failure(error))
    }
  }

  /// - Throws: `notPermitted` to a caller other than the owner, except a co-owner who only leaves.
  func checkMayDelegate(_ change: (inout LibraryRights) -> Void, in library: LibraryState) throws(BrokerError) {
    let owner = library.record.owner
    var (rights, left) = (library.planned.rights, library.planned.rights)
    change(&rights)
    rights.coOwners.remove(owner)
    left.coOwners.remove(uid)
    guard owner == uid || owns(library) && rights == left else {
      throw BrokerError(
        .notPermitted, "Only the library's owner chooses who decides in it; as a co-owner you can only leave.")
    }
  }
}
