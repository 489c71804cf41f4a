import PhotoModel

extension AdminSession {
  /// Sets whether apps also get the originals of edited photos, with RAW files, paired videos and
  /// sidecars (R39). Only the library's owners may call it. A refusal holds at once, a permission
  /// after the commit.
  /// - Parameters:
  ///   - earlier: the decision that this call undoes.
  ///   - number: receives the number of the new decision.
  /// - Throws (by `completion`): `notFound`, `notPermitted`, `failed`.
  package func shareOriginals(
    _ name: LibraryName, _ shares: Bool, undoing earlier: UInt64? = nil, number: DecisionNumber? = nil,
    completion: @escaping (Result<LibraryState, BrokerError>) -> Void
  ) {
    do throws(BrokerError) {
      let library = try ownedLibrary(name)
      func apply(to record: inout LibraryRecord) { record.sharesOriginals = shares }
      guard earlier != nil || !library.restates(apply) else { return completion(.success(library)) }
      let decider = decider(in: library, source: earlier == nil ? .settings : .undo)
      let wereShared = library.record.sharesOriginals
      let setting = library.plan(apply)
      if wereShared, !library.record.sharesOriginals { broker.contentNarrowed(in: name) }
      library.keep(setting, staysNarrowed: true) { [broker] before, after in
        let decision = DecisionRecord(
          time: broker.environment.now, by: decider, action: earlier == nil ? "originals" : "undo", library: name,
          before: before.originalsShared, after: after.originalsShared, undoes: earlier)
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
  var originalsShared: String {
    sharesOriginals ? "originals of edited photos shared" : "originals of edited photos kept back"
  }
}
