import Broker
import Catalogue
import PhotoModel

/// The part of a library that an app sees, shown to its owner.
struct AppView {
  let grant: GrantState
  let view: View

  /// - Parameter app: The app's name in the interface.
  /// - Returns: Nil if the app sees nothing.
  /// - Throws: `notFound` for an app that the caller does not know.
  static func find(_ app: String, in library: LibraryState, _ call: IncomingCall, _ session: AdminSession)
    throws(CallFailure) -> AppView?
  {
    let identifier = try AdminParameters.app(app)
    let known = try decide(session.app(identifier))
    let broker = call.core.broker
    guard let grant = broker.grant(GrantKey(library: library.record.name, app: known.identifier, level: .readWrite)),
      let view = broker.view(of: grant)
    else { return nil }
    return AppView(grant: grant, view: view)
  }

  /// Members of an album that the app sees. The album has the name that its owner uses.
  /// - Throws: `notFound` for an album that the app does not see.
  func members(of album: String, in library: LibraryState) throws(CallFailure) -> Selection {
    guard let identifier = AlbumIdentifier(album), let members = try? library.albums.members(of: identifier, for: grant)
    else {
      throw AdminParameters.noAlbum()
    }
    return members
  }

  /// Whether the grant's album policy is being asked. If so, `body` runs when the app's own call
  /// would.
  func waitsForAlbums(
    of library: LibraryState, _ call: IncomingCall, then body: @escaping () throws(CallFailure) -> Void
  ) -> Bool {
    let policies = call.core.runtimes[library].policies
    guard policies.isAskingPolicy(of: grant) else { return false }
    policies.whenPolicyAnswered(for: grant) {
      guard !call.isClosed else { return }
      call.attempt(body)
    }
    return true
  }
}
