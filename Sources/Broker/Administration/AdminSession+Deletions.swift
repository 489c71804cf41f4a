import PhotoModel

extension AdminSession {
  /// Sets whether apps may move the library's assets to the trash. Only its owners may call it. A
  /// refusal holds at once and for every app, even for assets that it added. A permission holds
  /// after the commit.
  /// - Parameters:
  ///   - earlier: the decision that this call undoes.
  ///   - number: receives the number of the new decision.
  /// - Throws (by `completion`): `notFound`, `notPermitted`, `failed`.
  package func allowDeletions(
    _ name: LibraryName, _ allows: Bool, undoing earlier: UInt64? = nil, number: DecisionNumber? = nil,
    completion: @escaping (Result<LibraryState, BrokerError>) -> Void
  ) {
    do throws(BrokerError) {
      let library = try ownedLibrary(name)
      func apply(to record: inout LibraryRecord) { record.appsDelete = allows }
      guard earlier != nil || !library.restates(apply) else { return completion(.success(library)) }
      let decider = decider(in: library, source: earlier == nil ? .settings : .undo)
      library.keep(library.plan(apply), staysNarrowed: true) { [broker] before, after in
        let decision = DecisionRecord(
          time: broker.environment.now, by: decider, action: earlier == nil ? "deletions" : "undo", library: name,
          before: before.deletionsAllowed, after: after.deletionsAllowed, undoes: earlier)
        return broker.changes(decision, from: before, to: after, number)
      } completion: {
        completion($0.map { .failure($0) } ?? .success(library))
      }
    } catch {
      completion(.failure(error))
    }
  }
}

extension LibraryRecord {
  var deletionsAllowed: String { appsDelete ? "apps delete" : "apps delete nothing" }
}

extension BrokerError {
  static func deletionsRefused() -> Self {
    photos(
      .changeNotSupported,
      "The owner of this library lets no app delete photos; hide them in your own list, or ask the owner to delete them."
    )
  }
}
