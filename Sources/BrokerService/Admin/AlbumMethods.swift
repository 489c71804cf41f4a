import Broker
import BrokerInterface
import Catalogue
import Limits
import PhotoModel

/// The albums of owners.
struct AlbumMethods {
  let runtimes: LibraryRuntimes
  let selectors: SelectorResolver

  @MethodRows var methods: [Method] {
    Method(Admin.ListOwnedAlbums.self, .administration(listOwnedAlbums))
    Method(Admin.EditOwnedAlbum.self, .administration(editOwnedAlbum))
  }

  private func listOwnedAlbums(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ListOwnedAlbums.Parameters = try call.parameters()
    let limit = parameters.limit.map { Int($0) } ?? ServiceLimits.pageLimit
    let position = try parameters.cursor.map { text throws(CallFailure) in
      guard let position = AlbumPosition(text) else { throw .broker(.invalidCursor("of a list of albums")) }
      return position
    }
    let library = try AdminParameters.library(parameters.library, session.seenLibrary)
    guard let app = parameters.app else {
      return reply(library.albums.page(after: position, limit: limit), call) { Admin.OwnedAlbum($0, in: library) }
    }
    // The list equals the app's own. It waits while the app's policy is being asked.
    guard let appView = try AppView.find(app, in: library, call, session) else {
      return call.reply(Admin.ListOwnedAlbums.Reply(albums: [], cursor: nil))
    }
    guard
      !appView.waitsForAlbums(of: library, call, then: { () throws(CallFailure) in try listOwnedAlbums(call, session) })
    else { return }
    let visibleAlbums = library.albums.visibleAlbums(of: appView.grant)
    reply(library.albums.page(of: visibleAlbums, after: position, limit: limit), call) {
      Admin.OwnedAlbum($0, count: visibleAlbums[$0.identifier]?.members.count ?? 0)
    }
  }

  private func reply(_ page: AlbumPage, _ call: IncomingCall, _ shown: (AlbumRecord) -> Admin.OwnedAlbum) {
    call.reply(Admin.ListOwnedAlbums.Reply(albums: page.albums.map(shown), cursor: page.next?.text))
  }

  private func editOwnedAlbum(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.EditOwnedAlbum.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library, session.ownedLibrary)
    let album = try parameters.album.map(AdminParameters.album)
    let members = album.flatMap { library.albums[$0] }.map { library.catalogue.selection(of: $0.members) }
    try selectors.resolve(parameters.add, in: library, for: .marking, call) { add throws(CallFailure) in
      try selectors.resolve(parameters.remove, in: library, for: .takingAway(from: members), call) { remove in
        let edit = OwnedAlbumEdit(
          title: parameters.title, adding: add, removing: remove, isShared: parameters.shared,
          deletes: parameters.delete ?? false)
        let number = DecisionNumber()
        session.albums.edit(album, of: library.record.name, edit, number: number) { result in
          result.orFail(call) { record in
            // Apps' policies are asked about the album before the owner gets the reply.
            let isNew = parameters.title != nil || parameters.shared != nil
            runtimes.albumsChanged(in: library, isNew ? Set(record.map { [$0.identifier] } ?? []) : []) {
              // The editor's rights may have ended meanwhile.
              guard session.sees(library) else { return call.fail(AdminParameters.noLibrary()) }
              call.reply(
                Admin.EditOwnedAlbum.Reply(
                  album: record.map { Admin.OwnedAlbum($0, in: library) }, decisions: number.entered))
            }
          }
        }
      }
    }
  }
}

extension Admin.OwnedAlbum {
  fileprivate init(_ album: AlbumRecord, in library: LibraryState) {
    self.init(
      album,
      count: album.members.count {
        library.catalogue.row(of: $0).map { $0.flags.isDisjoint(with: [.trashed, .missing]) } ?? false
      })
  }

  fileprivate init(_ album: AlbumRecord, count: Int) {
    self.init(
      album: album.identifier.description, title: album.title, count: Int64(count),
      creator: album.creator?.description, source: album.source.rawValue, shared: album.isShared,
      created: album.created.microseconds)
  }
}
