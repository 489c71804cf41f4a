import Broker
import BrokerInterface
import Limits
import Macaroons
import PhotoModel
import Varlink

extension LibraryMethods {
  static let changing: [Method] = [
    Method(Library.PerformChanges.name, .edit, check: { call throws(CallFailure) in _ = try steps(call) }, performChanges)
  ]

  private static func steps(
    _ call: IncomingCall
  ) throws(CallFailure) -> (parameters: Library.PerformChanges.Parameters, steps: [ChangeStep]) {
    let parameters: Library.PerformChanges.Parameters = try call.parameters()
    guard (1...ServiceLimits.changes).contains(parameters.changes.count) else { throw .invalid("changes") }
    var steps: [ChangeStep] = []
    for (index, change) in parameters.changes.enumerated() { steps.append(try step(change, "changes[\(index)]")) }
    return (parameters, steps)
  }

  private static func performChanges(_ call: IncomingCall, _ admission: Admission) throws(CallFailure) {
    let (parameters, steps) = try steps(call)
    if steps.contains(where: \.concernsAlbums), waitsForAlbums(call, admission, then: performChanges) { return }
    let session = admission.permit.session
    if steps.contains(where: { if case .delete = $0 { true } else { false } }) {
      // Deleting is a verb of its own, which a token may lack.
      _ = try decide { () throws(BrokerError) in
        try session.admit([.edit, .delete], level: .readWrite, library: admission.library.record.name)
      }
    }
    let core = call.core
    let name = admission.library.record.name
    admission.library.perform(
      steps, grant: admission.grant, subset: admission.narrowing?.selection, dryRun: parameters.dryRun ?? false,
      mayProceed: { (try? session.admit(.edit, level: .readWrite, library: name)) != nil }
    ) { result in
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let outcome):
        if parameters.dryRun != true, !outcome.trashed.isEmpty {
          core.runtime(admission.library).moveToTrash()
        }
        let reply = {
          // What was made under this admission is told under the one that holds now.
          let now = try? session.admit(.edit, level: .readWrite, library: name)
          call.reply(
            Library.PerformChanges.Reply(createdAlbums: outcome.createdAlbums.map(\.description)), under: now ?? admission.permit)
        }
        // Asking every grant's policy takes longer the more of them there are, which is no app's business: it waits for its own.
        if parameters.dryRun != true {
          core.albumsChanged(in: admission.library, outcome.judgedAlbums, by: admission.grant, reply)
        } else {
          reply()
        }
      }
    }
  }

  private static func step(_ change: Library.Change, _ path: String) throws(CallFailure) -> ChangeStep {
    func text() throws(CallFailure) -> String {
      guard let text = change.text else { throw .invalid("\(path).text") }
      return text
    }
    switch change.kind {
    case "setFavorite":
      guard let value = change.favorite else { throw .invalid("\(path).favorite") }
      return .setFavorite(try targets(change, path), value)
    case "setCreationDate":
      guard let date = change.creationDate, ServiceLimits.dates.contains(date) else { throw .invalid("\(path).creationDate") }
      return .setCreationDate(try targets(change, path), Timestamp(microseconds: date))
    case "setLocation": return .setLocation(try targets(change, path), try point(change, path))
    case "setCaption": return .setCaption(try targets(change, path), try text())
    case "delete": return .delete(try targets(change, path))
    case "createAlbum": return .createAlbum(title: try text())
    case "renameAlbum": return .renameAlbum(try album(change), title: try text())
    case "addToAlbum": return .addToAlbum(try album(change), try targets(change, path))
    case "removeFromAlbum": return .removeFromAlbum(try album(change), try targets(change, path))
    case "moveInAlbum": return .moveInAlbum(try album(change), try targets(change, path), before: try next(change))
    case "deleteAlbum": return .deleteAlbum(try album(change))
    default: throw .invalid("\(path).kind")
    }
  }

  private static func targets(_ change: Library.Change, _ path: String) throws(CallFailure) -> [AssetTarget] {
    guard let assets = change.assets, (1...ServiceLimits.identifiers).contains(assets.count) else { throw .invalid("\(path).assets") }
    guard change.versions == nil || change.versions?.count == assets.count else { throw .invalid("\(path).versions") }
    var targets: [AssetTarget] = []
    for (index, text) in assets.enumerated() {
      guard let identifier = AssetIdentifier(text) else { throw .broker(.identifierNotFound()) }
      var version: UInt64?
      if let text = change.versions?[index] {
        guard text.utf8.count == 16, let number = UInt64(text, radix: 16) else { throw .invalid("\(path).versions[\(index)]") }
        version = number
      }
      targets.append(AssetTarget(identifier: identifier, version: version))
    }
    return targets
  }

  private static func next(_ change: Library.Change) throws(CallFailure) -> AssetTarget? {
    guard let text = change.before else { return nil }
    guard let identifier = AssetIdentifier(text) else { throw .broker(.identifierNotFound()) }
    return AssetTarget(identifier: identifier)
  }

  private static func album(_ change: Library.Change) throws(CallFailure) -> AlbumIdentifier {
    guard let album = change.album.flatMap({ AlbumIdentifier($0) }) else { throw .broker(.identifierNotFound()) }
    return album
  }

  private static func point(_ change: Library.Change, _ path: String) throws(CallFailure) -> GeoPoint? {
    switch (change.latitude, change.longitude) {
    case (nil, nil): return nil
    case (let latitude?, let longitude?):
      guard let point = GeoPoint(latitude: latitude, longitude: longitude) else { throw .invalid("\(path).latitude") }
      return point
    default: throw .invalid("\(path).longitude")
    }
  }
}
