import Catalogue
package import PhotoModel

extension AdminSession {
  /// Edits an album as its library's owner, on record: which grants see it follows from it, by their policies.
  /// - Parameter identifier: nil makes a new one.
  /// - Throws (by `completion`): `notFound`, `notPermitted`, `refused`, `failed`.
  package func editAlbum(
    _ identifier: AlbumIdentifier?, of name: LibraryName, _ edit: OwnedAlbumEdit,
    completion: @escaping (Result<AlbumRecord?, BrokerError>) -> Void
  ) {
    do throws(BrokerError) {
      let library = try ownedLibrary(name)
      let decider = decider(in: library)
      library.editAlbum(identifier, edit) { [broker] before, after in
        let decision = DecisionRecord(
          time: broker.environment.now, by: decider, action: "album", library: name, before: Self.words(before), after: Self.words(after))
        // Who saw a shared album may see it no longer, or not all of it.
        let takesAway = before.map { before in
          before.isShared && !(after?.isShared ?? false && Set(before.members).isSubset(of: after?.members ?? []))
        }
        return [.decide(decision)] + (takesAway ?? false ? [broker.narrowingMark()] : [])
      } completion: {
        completion($0)
      }
    } catch {
      completion(.failure(error))
    }
  }

  /// For the record of decisions, which administrators read: no title.
  private static func words(_ album: AlbumRecord?) -> String {
    guard let album else { return "no album" }
    return "album \(album.identifier), \(album.members.count) assets" + (album.isShared ? ", shared" : "")
  }
}
