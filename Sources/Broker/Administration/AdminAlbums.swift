import Catalogue
package import PhotoModel

/// Albums of the caller's libraries.
package struct AdminAlbums: AdminPart {
  let caller: AdminSession

  /// Edits an album as its library's owner, and records a decision. Album policies then decide
  /// which grants see the album.
  /// - Parameters:
  ///   - identifier: nil makes a new album.
  ///   - number: receives the number of the decision.
  /// - Throws (by `completion`): `notFound`, `notPermitted`, `refused`, `failed`.
  package func edit(
    _ identifier: AlbumIdentifier?, of name: LibraryName, _ edit: OwnedAlbumEdit,
    number: DecisionNumber = DecisionNumber(),
    completion: @escaping Completion<AlbumRecord?>
  ) {
    attempt(completion) { () throws(BrokerError) in
      let library = try caller.ownedLibrary(name)
      library.albumEditor.edit(
        identifier, edit, keeping: keeping(caller.decider(in: library), "album", library, number)
      ) {
        completion($0)
      }
    }
  }

  /// Undoes a decision about an album, except for members that have left the library since.
  func undo(
    _ kept: KeptDecision, _ album: ValueChange<AlbumFacts?>, in library: LibraryState,
    _ completion: @escaping Completion<UndoOutcome>
  ) throws(BrokerError) {
    let name = library.record.name
    let undo = try AlbumUndo(album, kept.change?.assets ?? []) { library.catalogue.row(of: $0) != nil }
    let entered = DecisionNumber()
    let keeping = keeping(caller.decider(in: library, source: .undo), "undo", library, entered, undoing: kept)
    let answer = { (result: Result<AlbumRecord?, BrokerError>) in
      completion(
        result.map { album in
          var outcome = UndoOutcome(entered)
          outcome.albums = album.map { [$0.identifier] } ?? []
          outcome.library = name
          return outcome
        })
    }
    library.albumEditor.change(album.latest()?.identifier, keeping: keeping, completion: answer) {
      (present) throws(BrokerError) in
      try kept.require(unmoved: undo.moved(present))
      return undo.undone(present)
    }
  }

  private func keeping(
    _ decider: Decider, _ action: String, _ library: LibraryState, _ number: DecisionNumber,
    undoing earlier: KeptDecision? = nil
  ) -> (AlbumRecord?, AlbumRecord?) -> [StoreChange] {
    { [broker] before, after in
      let decision = DecisionRecord(
        time: broker.environment.now, by: decider, action: action, library: library.record.name,
        app: earlier?.record.app,
        before: Self.words(before, in: library), after: Self.words(after, in: library), undoes: earlier?.number)
      return [.decide(decision, change: .album(from: before, to: after), number: number)]
        + (AlbumRecord.takesAway(from: before, to: after) ? [broker.narrowingMark()] : [])
    }
  }

  /// The album's words in the record of decisions. They hold no title, because administrators read the
  /// record.
  static func words(_ album: AlbumRecord?, in library: LibraryState) -> String {
    guard let album else { return "no album" }
    return "album \(album.identifier), \(library.albums.countPresent(album)) assets"
      + (album.isShared ? ", shared" : "")
  }
}

extension AlbumRecord {
  /// Whether the edit hides a shared album, or members of it, from apps that saw them.
  static func takesAway(from before: Self?, to after: Self?) -> Bool {
    guard let before, before.isShared else { return false }
    return !(after?.isShared ?? false && Set(before.members).isSubset(of: after?.members ?? []))
  }
}
