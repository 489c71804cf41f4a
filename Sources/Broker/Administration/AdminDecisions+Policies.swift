import PhotoModel

extension AdminDecisions {
  /// Answers the album policies that ``undo(_:leavesPolicy:completion:)`` of a decision would
  /// restore. The caller asks the plugins whether they are still installed.
  /// - Parameter completion: gets none if the decision cannot be read or is unknown to the caller;
  ///   the undo then fails with the reason.
  package func policies(settingBack number: UInt64, completion: @escaping (PoliciesSetBack) -> Void) {
    broker.store.decision(number) { [self] result in
      guard let kept = try? result.get(), let name = kept.record.library, let library = broker.libraries[name],
        caller.owns(library) || caller.isAdministrator, let policy = kept.change?.policySetBack
      else { return completion(PoliciesSetBack()) }
      completion(PoliciesSetBack(chosen: [name: [policy]], canBeLeft: kept.change?.takesAccess ?? false))
    }
  }
}

extension DecisionChange {
  fileprivate var policySetBack: String? {
    switch object {
    case .grant(let grant): grant.before.albumPolicy == grant.after.albumPolicy ? nil : grant.before.albumPolicy
    case .rule(let rule): rule.before?.albumPolicy == rule.after?.albumPolicy ? nil : rule.before?.albumPolicy
    default: nil
    }
  }

  /// Whether its undo reduces or ends an app's access.
  fileprivate var takesAccess: Bool {
    guard case .grant(let grant) = object else { return false }
    let (before, after) = (grant.before.status, grant.after.status)
    return !before.grantsAccess || before == .limited && after == .authorized
  }
}
