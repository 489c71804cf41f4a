import Broker
import BrokerInterface
import Limits
import Macaroons
import PhotoModel
import Proofs
import UnixSocket
import Varlink

/// Change requests of apps.
struct ChangeMethods {
  let runtimes: LibraryRuntimes
  let creations: CreationRequests

  @MethodRows var methods: [Method] {
    Method(
      Library.PerformChanges.self,
      need: { call throws(CallFailure) in
        let parameters: Library.PerformChanges.Parameters = try Creation.parameters(of: call)
        return Method.Need(verbs: verbs(for: parameters.changes), level: try AdminParameters.level(parameters.level))
      },
      check: { call throws(CallFailure) in
        let (_, creations) = try steps(Creation.parameters(of: call))
        try Creation.check(creations, call)
      }, performChanges)
  }

  /// The verbs that the steps need. Creating assets needs `add` alone, and deleting is a verb of
  /// its own, so a token may have either without the other.
  private func verbs(for changes: [Library.Change]) -> Verbs {
    let all = changes.map { (change) -> Verbs in
      switch change.kind {
      case Self.createAsset: .add
      case "delete": .delete
      default: .edit
      }
    }
    return all.isEmpty ? .edit : all.reduce([]) { $0.union($1) }
  }

  private func performChanges(_ call: IncomingCall, _ authorized: AuthorizedCall) throws(CallFailure) {
    let parameters: Library.PerformChanges.Parameters = try Creation.parameters(of: call)
    let (steps, creations) = try steps(parameters)
    try Creation.check(creations, call)
    if let refusal = Self.forbiddenFact(in: steps, authorized) { throw .broker(refusal) }
    if steps.contains(where: \.concernsAlbums), authorized.waitsForAlbums(call, then: performChanges) { return }
    let dryRun = parameters.dryRun ?? false
    guard !dryRun, authorized.asksBeforeDeletions, steps.contains(where: \.deletesAssets) else {
      return try perform(steps, creations, dryRun: dryRun, call, authorized)
    }
    // A request that would fail is no question for a person.
    let trial = self.creations.request(steps, dryRun: true, call, authorized)
    runtimes[authorized.library].creation.change(
      trial, dryRun: true,
      call.answering { outcome throws(CallFailure) in
        try decide(
          call.core.broker.deletionService.ask(
            about: outcome.trashed, under: authorized.permit,
            completion: call.answering { confirmed throws(CallFailure) in
              try perform(steps, creations, dryRun: false, call, decide(authorized.renewed()), confirmed)
            }))
      })
  }

  private func perform(
    _ steps: [ChangeStep], _ creations: [Creation], dryRun: Bool, _ call: IncomingCall, _ authorized: AuthorizedCall,
    _ confirmed: DeletionRequest? = nil
  ) throws(CallFailure) {
    let request = self.creations.request(steps, dryRun: dryRun, call, authorized) {
      Self.forbiddenFact(in: steps, authorized)
        ?? (dryRun ? nil : Self.unconfirmedDeletion(in: steps, authorized, confirmed))
    }
    guard !creations.isEmpty else {
      return runtimes[authorized.library].creation.change(request, dryRun: dryRun) {
        answer(call, authorized, dryRun: dryRun, $0)
      }
    }
    try self.creations.create(creations, request, call) { answer(call, authorized, dryRun: dryRun, $0) }
  }

  // An app decides when its new assets are complete, so both are checked when the steps are carried
  // out, by the present terms.

  /// The refusal to set a fact that the app does not get, which would tell whether it guessed right.
  private static func forbiddenFact(in steps: [ChangeStep], _ authorized: AuthorizedCall) -> BrokerError? {
    guard steps.contains(where: { $0.sets(authorized.permit.attachment.withheld) }) else { return nil }
    return .photos(
      .accessUserDenied, "This app does not get places or captions (DescribeAccess), so it cannot set them.")
  }

  /// The refusal to delete photos that a person did not confirm as they are now.
  private static func unconfirmedDeletion(
    in steps: [ChangeStep], _ authorized: AuthorizedCall, _ confirmed: DeletionRequest?
  ) -> BrokerError? {
    guard authorized.asksBeforeDeletions, steps.contains(where: \.deletesAssets) else { return nil }
    guard let confirmed else { return .unconfirmedDeletion }
    return confirmed.isCurrent ? nil : .changedSinceAsked
  }

  private func answer(
    _ call: IncomingCall, _ authorized: AuthorizedCall, dryRun: Bool, _ result: Result<ChangeOutcome, BrokerError>
  ) {
    result.orFail(call) { outcome in
      let reply = {
        // The grant may have changed since. The reply needs its present permit.
        let now = (try? authorized.renewed()) ?? authorized
        call.reply(
          Library.PerformChanges.Reply(
            createdAlbums: dryRun ? [] : outcome.createdAlbums.map(\.description),
            createdAssets: dryRun ? [] : outcome.createdAssets.map(\.description),
            placeholders: dryRun ? [:] : outcome.placeholders),
          under: now.permit)
      }
      guard !dryRun else { return reply() }
      if !outcome.trashed.isEmpty { runtimes[authorized.library].trash.moveToTrash() }
      // An app waits for its own policy only. Otherwise the delay would tell it how many other apps
      // there are.
      if Proof.waitForAllPolicies.isMade {
        return runtimes.albumsChanged(in: authorized.library, outcome.judgedAlbums, reply)
      }
      runtimes.albumsChanged(in: authorized.library, outcome.judgedAlbums, by: authorized.grant, reply)
    }
  }

  // MARK: Steps

  private static let createAsset = "createAsset"

  private func steps(_ parameters: Library.PerformChanges.Parameters) throws(CallFailure) -> (
    [ChangeStep], [Creation]
  ) {
    try CallFailure.check(parameters.changes, has: 1...ServiceLimits.changes, "changes")
    var steps: [ChangeStep] = []
    var creations: [Creation] = []
    for (index, change) in parameters.changes.enumerated() {
      let path = "changes[\(index)]"
      try checkFields(change, path)
      steps.append(try step(change, path))
      if change.kind == Self.createAsset { creations.append(try Creation(change, path)) }
    }
    guard creations.count <= ServiceLimits.createdAssets else { throw .broker(.tooManyCreated) }
    return (steps, creations)
  }

  private static let fields: [String: Set<String>] = [
    createAsset: [
      "favorite", "creationDate", "latitude", "longitude", "text", "placeholder", "filename", "descriptor", "contents",
      "upload",
    ],
    "setFavorite": ["assets", "versions", "favorite"], "setCreationDate": ["assets", "versions", "creationDate"],
    "setLocation": ["assets", "versions", "latitude", "longitude"], "setCaption": ["assets", "versions", "text"],
    "delete": ["assets", "versions"], "createAlbum": ["text", "placeholder"],
    "renameAlbum": ["album", "albumVersion", "text"],
    "addToAlbum": ["album", "albumVersion", "assets", "versions"],
    "removeFromAlbum": ["album", "albumVersion", "assets", "versions"],
    "moveInAlbum": ["album", "albumVersion", "assets", "versions", "before"], "deleteAlbum": ["album", "albumVersion"],
  ]

  /// Refuses a field that the step's kind does not have, because its intent is unknown.
  private func checkFields(_ change: Library.Change, _ path: String) throws(CallFailure) {
    guard let taken = Self.fields[change.kind] else {
      throw .invalid("\(path).kind", change.kind, allowed: Self.fields.keys.sorted())
    }
    let given = [
      ("assets", change.assets != nil), ("versions", change.versions != nil), ("album", change.album != nil),
      ("albumVersion", change.albumVersion != nil), ("favorite", change.favorite != nil),
      ("creationDate", change.creationDate != nil),
      ("latitude", change.latitude != nil), ("longitude", change.longitude != nil), ("text", change.text != nil),
      ("before", change.before != nil), ("placeholder", change.placeholder != nil),
      ("filename", change.filename != nil),
      ("descriptor", change.descriptor != nil), ("contents", change.contents != nil), ("upload", change.upload != nil),
    ]
    for (name, isThere) in given where isThere && !taken.contains(name) {
      throw .invalid(
        "\(path).\(name)", "\(change.kind) takes no such field; it takes \(taken.sorted().joined(separator: ", "))")
    }
    if let placeholder = change.placeholder, !isPlaceholder(placeholder) {
      throw .invalid(
        "\(path).placeholder",
        "it is not $ and letters, digits, - and _, with at most \(ServiceLimits.placeholderBytes) bytes")
    }
  }

  private static func missing(_ change: Library.Change) -> String { "\(change.kind) needs it" }

  private func isPlaceholder(_ text: String) -> Bool {
    guard text.utf8.first == UInt8(ascii: "$"), (2...ServiceLimits.placeholderBytes).contains(text.utf8.count) else {
      return false
    }
    return text.utf8.dropFirst().allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }

  private func step(_ change: Library.Change, _ path: String) throws(CallFailure) -> ChangeStep {
    func text() throws(CallFailure) -> String {
      guard let text = change.text else { throw .invalid("\(path).text", Self.missing(change)) }
      return text
    }
    switch change.kind {
    case Self.createAsset: return .createAsset(try assetCreation(change, path))
    case "setFavorite":
      guard let value = change.favorite else { throw .invalid("\(path).favorite", Self.missing(change)) }
      return .setFavorite(try targets(change, path), value)
    case "setCreationDate":
      guard let date = change.creationDate else { throw .invalid("\(path).creationDate", Self.missing(change)) }
      return .setCreationDate(try targets(change, path), Timestamp(microseconds: date))
    case "setLocation": return .setLocation(try targets(change, path), try point(change, path))
    case "setCaption": return .setCaption(try targets(change, path), try text())
    case "delete": return .delete(try targets(change, path))
    case "createAlbum": return .createAlbum(title: try text(), placeholder: change.placeholder)
    case "renameAlbum": return .renameAlbum(try album(change, path), title: try text())
    case "addToAlbum": return .addToAlbum(try album(change, path), try targets(change, path))
    case "removeFromAlbum": return .removeFromAlbum(try album(change, path), try targets(change, path))
    case "moveInAlbum":
      return .moveInAlbum(try album(change, path), try targets(change, path), before: try next(change))
    case "deleteAlbum": return .deleteAlbum(try album(change, path))
    default: throw .invalid("\(path).kind", change.kind, allowed: Self.fields.keys.sorted())
    }
  }

  private func assetCreation(_ change: Library.Change, _ path: String) throws(CallFailure) -> AssetCreation {
    AssetCreation(
      placeholder: change.placeholder, favourite: change.favorite,
      creationDate: change.creationDate.map { Timestamp(microseconds: $0) },
      location: try point(change, path), caption: change.text)
  }

  private func targets(_ change: Library.Change, _ path: String) throws(CallFailure) -> [AssetTarget] {
    let assets = change.assets ?? []
    try CallFailure.check(assets, has: 1...ServiceLimits.identifiers, "\(path).assets")
    guard change.versions == nil || change.versions?.count == assets.count else {
      throw .invalid("\(path).versions", "it has not one version for each asset")
    }
    var targets: [AssetTarget] = []
    for (index, text) in assets.enumerated() {
      if isPlaceholder(text) {
        guard change.versions == nil else {
          throw .invalid("\(path).versions", "a placeholder has no version yet; leave versions out")
        }
        targets.append(AssetTarget(placeholder: text))
        continue
      }
      guard let identifier = AssetIdentifier(text) else { throw .broker(.identifierNotFound()) }
      var expected: UInt64?
      if let text = change.versions?[index] { expected = try version(text, "\(path).versions[\(index)]") }
      targets.append(AssetTarget(identifier: identifier, version: expected))
    }
    return targets
  }

  private func next(_ change: Library.Change) throws(CallFailure) -> AssetTarget? {
    guard let text = change.before else { return nil }
    if isPlaceholder(text) { return AssetTarget(placeholder: text) }
    guard let identifier = AssetIdentifier(text) else { throw .broker(.identifierNotFound()) }
    return AssetTarget(identifier: identifier)
  }

  private func version(_ text: String, _ field: String) throws(CallFailure) -> UInt64 {
    guard let version: UInt64 = Hex.number(text) else {
      throw .invalid(field, "it is no version as an asset or album has it, of 16 hexadecimal digits")
    }
    return version
  }

  private func album(_ change: Library.Change, _ path: String) throws(CallFailure) -> AlbumTarget {
    if let placeholder = change.album, isPlaceholder(placeholder) {
      guard change.albumVersion == nil else {
        throw .invalid("\(path).albumVersion", "a placeholder has no version yet; leave albumVersion out")
      }
      return AlbumTarget(placeholder: placeholder)
    }
    guard let album = change.album.flatMap({ AlbumIdentifier($0) }) else { throw .broker(.identifierNotFound()) }
    var expected: UInt64?
    if let text = change.albumVersion { expected = try version(text, "\(path).albumVersion") }
    return AlbumTarget(album, version: expected)
  }

  private func point(_ change: Library.Change, _ path: String) throws(CallFailure) -> GeoPoint? {
    if change.latitude == nil, change.longitude == nil { return nil }
    guard let latitude = change.latitude, let longitude = change.longitude,
      let point = GeoPoint(latitude: latitude, longitude: longitude)
    else { throw .invalid("\(path).longitude", CallFailure.coordinates) }
    return point
  }
}
