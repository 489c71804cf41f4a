extension AdminSession {
  /// Album policies that ``undo(_:completion:)`` of a decision would set, by library. Whether there still are such only plugins tell.
  /// - Parameter completion: Gets none where the decision cannot be read or is unknown to the caller: the undo says why.
  package func policies(settingBack number: UInt64, completion: @escaping ([LibraryName: Set<String>]) -> Void) {
    let carried = Confined { [self] (result: Result<KeptDecision?, StoreFailure>) in
      guard let kept = try? result.get(), let name = kept.record.library, let library = broker.libraries[name],
        owns(library) || isAdministrator, let policy = kept.change?.policySetBack
      else { return completion([:]) }
      completion([name: [policy]])
    }
    broker.store.decision(number) { carried.value($0) }
  }
}

extension DecisionChange {
  fileprivate var policySetBack: String? {
    switch self {
    case .grant(let change): change.before.albumPolicy == change.after.albumPolicy ? nil : change.before.albumPolicy
    case .rule(let before, let after): before?.albumPolicy == after?.albumPolicy ? nil : before?.albumPolicy
    default: nil
    }
  }
}
