import PhotoModel

extension AdminSession {
  /// Says whether apps may delete assets of the library, to the trash. For its owners. To refuse it
  /// holds at once, for every app and for what it added itself; to allow it holds after the commit.
  /// - Parameters:
  ///   - earlier: the decision that this takes back.
  ///   - number: learns the number of this one.
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
  /// For the record of decisions.
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
