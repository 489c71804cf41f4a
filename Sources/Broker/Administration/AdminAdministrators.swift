import PhotoModel

/// The administrators whom root names.
package struct AdminAdministrators: AdminPart {
  let caller: AdminSession

  /// The administrators whom root named, and all administrators with those of the configuration.
  /// - Throws: `notPermitted` to a caller who is not an administrator.
  package func list() throws(BrokerError) -> (named: Set<UInt32>, all: Set<UInt32>) {
    guard caller.isAdministrator else {
      throw .notPermitted("Only administrators see who the administrators are.")
    }
    return (broker.administrators.named, broker.administrators.all)
  }

  /// Names the administrators beside root and those of the machine's configuration. Only root may
  /// call it. A user left out loses the role at once.
  /// - Parameters:
  ///   - earlier: the decision that this call undoes.
  ///   - number: receives the number of the new decision.
  package func set(
    _ users: Set<UInt32>, undoing earlier: UInt64? = nil, number: DecisionNumber? = nil,
    completion: @escaping Completion<Void>
  ) {
    guard caller.uid == 0 else {
      return completion(.failure(.notPermitted("Only root names administrators.")))
    }
    let before = broker.administrators.named
    let text = users.sorted().map(String.init).joined(separator: ",")
    let isNarrowing = !before.isSubset(of: users)
    let decider = Decider(
      uid: caller.uid, role: .administrator, origin: caller.origin, source: earlier == nil ? .administrator : .undo)
    let decision = DecisionRecord(
      time: broker.environment.now, by: decider, action: earlier == nil ? "administrators" : "undo", library: nil,
      before: DecisionRecord.list(before), after: DecisionRecord.list(users), undoes: earlier)
    broker.administrators.named.formIntersection(users)
    let changes: [StoreChange] = [
      .putSetting(name: SettingName.administrators, value: text),
      .decide(decision, change: DecisionChange(.administrators(ValueChange(before, users))), number: number),
    ]
    broker.store.commit(isNarrowing ? changes + [broker.narrowingMark()] : changes) { [broker] failure in
      if let failure { return completion(.failure(.notKept(failure, narrowed: isNarrowing))) }
      broker.administrators.named = users
      for library in broker.libraries.keys.sorted() { broker.ruleEngine.rulesChanged(in: library) }
      completion(.success(()))
    }
  }
}
