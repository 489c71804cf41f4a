import PhotoModel

extension AdminSession {
  /// Says whether apps get the originals of edited photos as well: raw files, paired videos and sidecars with them (R39). For
  /// the library's owners. To take them away holds at once, to give them after the commit.
  /// - Parameters:
  ///   - earlier: the decision that this takes back.
  ///   - number: learns the number of this one.
  /// - Throws (by `completion`): `notFound`, `notPermitted`, `failed`.
  package func shareOriginals(
    _ name: LibraryName, _ shares: Bool, undoing earlier: UInt64? = nil, number: DecisionNumber? = nil,
    completion: @escaping (Result<LibraryState, BrokerError>) -> Void
  ) {
    do throws(BrokerError) {
      let library = try ownedLibrary(name)
      var record = library.planned
      let change = DecisionChange.library(before: LibraryRights(record), after: rights(record, sharing: shares))
      let before = record
      record.sharesOriginals = shares
      library.planned = record
      if !shares, library.record.sharesOriginals {
        library.record.sharesOriginals = false
        broker.contentNarrowed(in: name)
      }
      let decision = DecisionRecord(
        time: broker.environment.now, by: decider(in: library, source: earlier == nil ? .settings : .undo),
        action: earlier == nil ? "originals" : "undo", library: name, before: before.originalsShared, after: record.originalsShared,
        undoes: earlier)
      let changes: [StoreChange] = [.putLibrary(record), .decide(decision, change: change, number: number)]
      broker.store.keep(shares ? changes : changes + [broker.narrowingMark()]) { failure in
        if let failure {
          library.planned = library.record
          return completion(.failure(.notKept(failure, narrowed: !shares)))
        }
        library.record.sharesOriginals = shares
        completion(.success(library))
      }
    } catch {
      completion(.failure(error))
    }
  }

  private func rights(_ record: LibraryRecord, sharing shares: Bool) -> LibraryRights {
    var rights = LibraryRights(record)
    rights.sharesOriginals = shares
    return rights
  }
}

extension LibraryRecord {
  /// For the record of decisions.
  var originalsShared: String { sharesOriginals ? "originals of edited photos shared" : "originals of edited photos kept back" }
}
