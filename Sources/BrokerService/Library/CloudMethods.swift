import Broker
import BrokerInterface
import Catalogue
import Limits
import Macaroons
import PhotoModel
import PluginKit

/// Cloud identifiers of assets and albums, in both directions.
struct CloudMethods {
  let broker: Broker
  let runtimes: LibraryRuntimes
  let disclosures: Disclosures

  @MethodRows var methods: [Method] {
    Method(
      Library.GetCloudIdentifiers.self, .read, check: { _, call throws(CallFailure) in _ = try localNames(call) },
      getCloudIdentifiers)
    Method(
      Library.GetLocalIdentifiers.self, .read, check: { _, call throws(CallFailure) in _ = try cloudNames(call) },
      getLocalIdentifiers)
  }

  private func localNames(_ call: IncomingCall) throws(CallFailure) -> [String] {
    let parameters: Library.GetCloudIdentifiers.Parameters = try call.parameters()
    try CallFailure.check(parameters.localIdentifiers, has: 0...ServiceLimits.identifiers, "localIdentifiers")
    return parameters.localIdentifiers
  }

  private func cloudNames(_ call: IncomingCall) throws(CallFailure) -> [String] {
    let parameters: Library.GetLocalIdentifiers.Parameters = try call.parameters()
    try CallFailure.check(parameters.cloudIdentifiers, has: 0...ServiceLimits.identifiers, "cloudIdentifiers")
    return parameters.cloudIdentifiers
  }

  // MARK: From here to elsewhere

  private enum Target {
    case asset(AssetRow)
    case album(AlbumRecord)
  }

  private func getCloudIdentifiers(_ call: IncomingCall, _ authorized: AuthorizedCall) throws(CallFailure) {
    let asked = try localNames(call)
    let targets = try targets(asked, authorized)
    // An identifier that names no visible asset may name an album that a policy is about to show.
    let isOfAssets = targets.allSatisfy { if case .asset = $0 { true } else { false } }
    if !isOfAssets, authorized.waitsForAlbums(call, then: getCloudIdentifiers) { return }
    let names = runtimes[authorized.library].cloud
    let application = try application(of: authorized, call)
    let withheld = authorized.permit.withheld
    let read = withheld.contains(.files) ? [] : assets(targets)
    names.digests(of: read, for: authorized.app, without: withheld, CloudNames.Patience { !call.isClosed }) { result in
      call.resume { () throws(CallFailure) in
        let digests = try decide(result.get())
        let nameless = withheld.contains(.files) ? Set(assets(targets)) : Set(digests.filter(\.value.isEmpty).keys)
        let named: [(place: Int, item: CloudItem)] = targets.enumerated().compactMap { place, target in
          switch target {
          case .asset(let row):
            digests[row.number].flatMap { $0.isEmpty ? nil : (place, .asset(digest: $0)) }
          case .album(let album): (place, .album(title: album.title, created: album.created))
          case nil: nil
          }
        }
        names.names(of: named.map(\.item), application: application) { result in
          call.resume { () throws(CallFailure) in
            let texts = try decide(result.get())
            let found = Dictionary(zip(named.map(\.place), texts), uniquingKeysWith: { first, _ in first })
            try replyCloudIdentifiers(call, authorized, asked, found, nameless)
          }
        }
      }
    }
  }

  private func assets(_ targets: [Target?]) -> [AssetNumber] {
    targets.compactMap { target in if case .asset(let row) = target { row.number } else { nil } }
  }

  /// Answers with the assets and albums that are still visible after the wait.
  /// - Parameter nameless: Assets that only the hint names.
  private func replyCloudIdentifiers(
    _ call: IncomingCall, _ authorized: AuthorizedCall, _ asked: [String], _ found: [Int: String?],
    _ nameless: Set<AssetNumber>
  ) throws(CallFailure) {
    let now = try decide(authorized.renewed())
    guard now.permit.withheld == authorized.permit.withheld else { return try getCloudIdentifiers(call, now) }
    let targets = try targets(asked, now)
    let rows = targets.compactMap { target in if case .asset(let row) = target { row } else { nil } }
    try disclosures.noteMetadata(rows.map(\.facts), now.permit)
    let application = try application(of: now, call)
    let hint = try decide(CloudHint(now.library, application: application))
    var mappings: [Library.CloudIdentifierMapping] = []
    for (place, (text, target)) in zip(asked, targets).enumerated() {
      var mapping = Library.CloudIdentifierMapping(localIdentifier: text, problem: .identifierNotFound)
      switch (target, found[place]) {
      case (.asset(let row), nil) where nameless.contains(row.number):
        let name = try decide(hint.appended(to: CloudHint.nameOfNoContent, row.identifier))
        mapping = .init(localIdentifier: text, cloudIdentifier: name)
      // No such item, or the mapping has no name for it and will not have one later.
      case (nil, _), (_, .some(nil)): break
      case (_, nil): mapping = .init(localIdentifier: text, problem: .networkAccessRequired)
      case (.asset(let row), let name??):
        mapping = .init(localIdentifier: text, cloudIdentifier: try decide(hint.appended(to: name, row.identifier)))
      case (.album(let album), let name??):
        mapping = .init(localIdentifier: text, cloudIdentifier: try decide(hint.appended(to: name, album.identifier)))
      }
      mappings.append(mapping)
    }
    call.reply(Library.GetCloudIdentifiers.Reply(mappings: mappings), under: now.permit)
  }

  /// Missing, hidden and malformed identifiers all give nil, after the same steps.
  private func targets(_ identifiers: [String], _ authorized: AuthorizedCall) throws(CallFailure) -> [Target?] {
    var targets: [Target?] = []
    let albums = Dictionary(
      authorized.library.albums.shown(to: authorized.grant, authorized.attenuation).map { ($0.identifier, $0) },
      uniquingKeysWith: { first, _ in first })
    for text in identifiers {
      guard let asset = AssetIdentifier(text), let album = AlbumIdentifier(text) else {
        targets.append(nil)
        continue
      }
      let opened = try decide((authorized.seals.open(asset), authorized.seals.open(album)))
      if let row = try? authorized.library.assets.asset(opened.0, in: authorized.view) {
        targets.append(.asset(row))
      } else {
        targets.append(albums[opened.1].map { .album($0) })
      }
    }
    return targets
  }

  // MARK: From elsewhere to here

  private func getLocalIdentifiers(_ call: IncomingCall, _ authorized: AuthorizedCall) throws(CallFailure) {
    let application = try application(of: authorized, call)
    let hint = try decide(CloudHint(authorized.library, application: application))
    var asked: [CloudHint.Opened] = []
    for text in try cloudNames(call) { asked.append(try decide(hint.open(text))) }
    // Identifiers with a hint of this library need no search.
    guard asked.contains(where: { hinted($0, authorized) == nil }) else {
      return try replyLocalIdentifiers(call, authorized, asked, CloudIndex(), [])
    }
    let withheld = authorized.permit.withheld
    guard !withheld.contains(.files) else { return try findAlbums(asked, CloudIndex(), call, authorized) }
    let names = runtimes[authorized.library].cloud
    let catalogue = authorized.library.catalogue
    let visible = catalogue.numbers(in: catalogue.selection(matching: Query(), in: authorized.view))
    names.index(
      of: visible, CloudNames.Names(app: authorized.app, application: application, withheld: withheld),
      isWhole: authorized.attenuation == nil, CloudNames.Patience { !call.isClosed }
    ) { result in
      call.resume { () throws(CallFailure) in
        let index = try decide(result.get())
        let now = try decide(authorized.renewed())
        guard now.permit.withheld == withheld else { return try getLocalIdentifiers(call, now) }
        // A name without an asset may be an album's, and the policy may still be deciding about
        // that album.
        let areAssets = asked.allSatisfy { !assets(named: $0, index, now).isEmpty }
        if areAssets, runtimes[now.library].policies.isAskingOfVisibleAlbums(now.grant) {
          return try replyLocalIdentifiers(call, now, asked, index, [])
        }
        try findAlbums(asked, index, call, now)
      }
    }
  }

  private func findAlbums(
    _ asked: [CloudHint.Opened], _ index: CloudIndex, _ call: IncomingCall, _ authorized: AuthorizedCall
  ) throws(CallFailure) {
    let again = { (call: IncomingCall, now: AuthorizedCall) throws(CallFailure) in
      try findAlbums(asked, index, call, now)
    }
    if authorized.waitsForAlbums(call, then: again) { return }
    let application = try application(of: authorized, call)
    let albums = authorized.library.albums.shown(to: authorized.grant, authorized.attenuation)
    runtimes[authorized.library].cloud.names(
      of: albums.map { .album(title: $0.title, created: $0.created) }, application: application
    ) { result in
      call.resume { () throws(CallFailure) in
        let texts = try decide(result.get())
        try replyLocalIdentifiers(call, authorized, asked, index, zip(albums.map(\.identifier), texts).map { ($0, $1) })
      }
    }
  }

  /// The visible asset that an identifier names for certain.
  private func hinted(_ asked: CloudHint.Opened, _ authorized: AuthorizedCall) -> AssetRow? {
    asked.asset.flatMap { try? authorized.library.assets.asset($0, in: authorized.view) }
  }

  private func assets(named asked: CloudHint.Opened, _ index: CloudIndex, _ authorized: AuthorizedCall) -> [AssetRow] {
    if let row = hinted(asked, authorized) { return [row] }
    guard index.withheld == authorized.permit.withheld else { return [] }
    let catalogue = authorized.library.catalogue
    return (CloudIndex.Key(asked.name).map { index.assets(named: $0) } ?? []).compactMap { catalogue.position(of: $0) }
      .filter { catalogue.isVisible($0, in: authorized.view) }.map { catalogue.row($0) }
  }

  private func replyLocalIdentifiers(
    _ call: IncomingCall, _ authorized: AuthorizedCall, _ asked: [CloudHint.Opened], _ index: CloudIndex,
    _ albums: [(AlbumIdentifier, String?)]
  ) throws(CallFailure) {
    let now = try decide(authorized.renewed())
    var shown: [String: [AlbumIdentifier]] = [:]
    var own: Set<AlbumIdentifier> = []
    for (identifier, name) in albums
    where now.library.albums[identifier] != nil
      && now.library.albums.shows(identifier, to: now.grant, subset: now.attenuation?.selection)
    {
      own.insert(identifier)
      if let name { shown[name, default: []].append(identifier) }
    }
    var mappings: [Library.LocalIdentifierMapping] = []
    var rows: [AssetRow] = []
    for one in asked {
      let found = self.assets(named: one, index, now)
      rows += found
      let assets = try decide(now.seals.seal(found.map(\.identifier))).map(
        \.description)
      var collections: [String] = []
      let hinted = one.album.flatMap { own.contains($0) ? [$0] : nil }
      // A name's matches are either assets or albums, never both, because a person picks one of
      // them.
      for album in found.isEmpty ? hinted ?? shown[one.name] ?? [] : [] {
        collections.append(try decide(now.seals.seal(album)).description)
      }
      mappings.append(
        Library.LocalIdentifierMapping(
          cloudIdentifier: one.text, matches: (assets + collections).sorted(), isWhole: index.isWhole))
    }
    try disclosures.noteMetadata(rows.map(\.facts), now.permit)
    call.reply(Library.GetLocalIdentifiers.Reply(mappings: mappings), under: now.permit)
  }

  private func application(of authorized: AuthorizedCall, _ call: IncomingCall) throws(CallFailure) -> String {
    guard let app = broker.app(authorized.app) else {
      throw .photos(.internalError, "The app was forgotten; introduce it again.")
    }
    return app.record.manifest.identifier
  }
}

extension Library.CloudIdentifierMapping {
  fileprivate init(localIdentifier: String, cloudIdentifier: String) {
    self.init(localIdentifier: localIdentifier, cloudIdentifier: cloudIdentifier, reason: nil, code: nil)
  }

  fileprivate init(localIdentifier: String, problem: PhotosErrorCode) {
    self.init(
      localIdentifier: localIdentifier, cloudIdentifier: nil, reason: problem.name, code: Int64(problem.rawValue))
  }
}

extension Library.LocalIdentifierMapping {
  /// - Parameters:
  /// - matches: The visible items of this name. One is the answer (R109); a person chooses among
  ///   several (R107).
  /// - isWhole: Whether all visible items were searched; if not, another call may find more.
  fileprivate init(cloudIdentifier: String, matches: [String], isWhole: Bool) {
    switch matches.count {
    case 1:
      self.init(cloudIdentifier: cloudIdentifier, localIdentifier: matches[0], reason: nil, code: nil, matches: [])
    case 0:
      self.init(
        cloudIdentifier: cloudIdentifier, problem: isWhole ? .identifierNotFound : .networkAccessRequired, matches: [])
    default: self.init(cloudIdentifier: cloudIdentifier, problem: .multipleIdentifiersFound, matches: matches)
    }
  }

  private init(cloudIdentifier: String, problem: PhotosErrorCode, matches: [String]) {
    self.init(
      cloudIdentifier: cloudIdentifier, localIdentifier: nil, reason: problem.name, code: Int64(problem.rawValue),
      matches: matches)
  }
}
