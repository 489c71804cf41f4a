import Broker
import BrokerInterface
import Catalogue
import Cryptography
import Limits
import PhotoModel
import Varlink

extension AdminMethods {
  static let conflicts: [Method] = [
    Method(Admin.ListConflicts.self, .administration(listConflicts)),
    Method(Admin.ResolveConflicts.self, .administration(resolveConflicts)),
  ]

  private static func listConflicts(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ListConflicts.Parameters = try call.parameters()
    let name = try AdminParameters.library(parameters.library)
    session.conflicts(of: name, skip: Int(parameters.skip ?? 0), limit: Int(parameters.limit ?? 100)) { result in
      guard !call.isClosed else { return }
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let found):
        call.reply(Admin.ListConflicts.Reply(conflicts: found.conflicts.map(shown), total: Int64(found.total)))
      }
    }
  }

  private static func shown(_ open: OpenConflict) -> Admin.EditConflict {
    let (row, conflict) = (open.row, open.conflict)
    let names: [(EditedFields, String)] = [
      (.creationDate, "creationDate"), (.location, "location"), (.caption, "caption"),
    ]
    var shown = Admin.EditConflict(
      asset: row.identifier.description, filename: row.fileName,
      fields: names.filter { conflict.fields.contains($0.0) }.map(\.1), creationDate: row.creationDate?.microseconds,
      location: row.location.map(place), caption: open.caption, fileCreationDate: conflict.creationDate?.microseconds,
      fileLocation: conflict.location.map(place), fileCaption: conflict.caption, version: "")
    shown.version = version(shown)
    return shown
  }

  /// Of what it is about: a name or a field that nothing contradicts may be another one meanwhile.
  private static func version(_ conflict: Admin.EditConflict) -> String {
    var conflict = conflict
    conflict.filename = ""
    if !conflict.fields.contains("creationDate") { conflict.creationDate = nil }
    if !conflict.fields.contains("location") { conflict.location = nil }
    // Without a digest there is none that a caller could name.
    return (try? SHA256.digest(of: conflict.jsonBytes)).map { Hex.encode(Array($0.bytes.prefix(16))) } ?? ""
  }

  private static func place(_ point: GeoPoint) -> Admin.OwnedLocation {
    Admin.OwnedLocation(latitude: point.latitude, longitude: point.longitude)
  }

  private static func resolveConflicts(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ResolveConflicts.Parameters = try call.parameters()
    let name = try AdminParameters.library(parameters.library)
    let library = try decide { () throws(BrokerError) in try session.ownedLibrary(name) }
    guard (1...ServiceLimits.identifiers).contains(parameters.identifiers.count) else { throw .invalid("identifiers") }
    guard ["edit", "file"].contains(parameters.keep) else { throw .invalid("keep") }
    if let versions = parameters.versions {
      guard versions.count == parameters.identifiers.count, !versions.contains("") else { throw .invalid("versions") }
    }
    var numbers: [AssetNumber] = []
    var meant: [AssetNumber: String] = [:]
    for (index, text) in parameters.identifiers.enumerated() {
      guard let position = library.catalogue.position(of: try AdminParameters.asset(text)) else {
        throw .broker(.notFound("asset", "No such asset in this library; list the conflicts to see what is there."))
      }
      let number = library.catalogue.row(position).number
      numbers.append(number)
      meant[number] = parameters.versions?[index]
    }
    let isMeant = { (open: OpenConflict) in meant[open.row.number].map { $0 == shown(open).version } ?? true }
    session.resolveConflicts(of: name, numbers, keepingFile: parameters.keep == "file", isMeant: isMeant) { result in
      guard !call.isClosed else { return }
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let outcome):
        call.reply(
          Admin.ResolveConflicts.Reply(
            resolved: Int64(outcome.resolved), decisions: outcome.decisions.map { Int64(clamping: $0) }))
      }
    }
  }
}
