import Broker
import Catalogue
import Macaroons
import PhotoModel

extension World {
  /// A photo as the indexer reports it.
  /// - Parameter hint: the identity of its file; nil: it has no files.
  func photo(_ name: String, flags: AssetFlags = [], hint: String? = nil, digest: [UInt8] = [1]) -> AssetRecord {
    let file = ResourceRecord(
      role: .original, locator: name, filename: name, contentType: "image/jpeg", size: 100, contentVersion: "1",
      identityHint: hint,
      digest: digest)
    return AssetRecord(
      row: AssetRow(
        number: AssetNumber(0), identifier: AssetIdentifier(high: 0, low: 0),
        creationDate: Timestamp(seconds: 1_650_000_000),
        addedDate: environment.now, modificationDate: environment.now, flags: flags, fileName: name),
      caption: nil, camera: nil, livePhotoIdentifier: nil, burstIdentifier: nil, creator: nil,
      resources: hint == nil ? [] : [file])
  }

  @discardableResult
  func insert(_ name: String, flags: AssetFlags = [], hint: String? = nil) throws -> Int {
    Int(try done { library.scan.apply([.insert(photo(name, flags: flags, hint: hint))], completion: $0) }[0].rawValue)
  }

  /// Adds photos in one batch, and returns their numbers.
  func insertMany(_ count: Int, _ name: String) throws -> [Int] {
    try done { library.scan.apply((0..<count).map { .insert(photo("\(name) \($0).jpg")) }, completion: $0) }.map {
      Int($0.rawValue)
    }
  }

  /// Restarts the broker with this number of members in an album, some of them hidden.
  func fill(album: AlbumIdentifier, members: Int, hidden: Int) throws {
    var contents = store.contents
    guard let index = contents.libraries.firstIndex(where: { $0.record.name == photos }) else { return }
    let first = 1_000
    let rows = (0..<10).compactMap(row)
    let more = (0..<members).map { number in
      AssetRow(
        number: AssetNumber(UInt32(first + number)), identifier: AssetIdentifier(high: 77, low: UInt64(number)),
        creationDate: Timestamp(seconds: 1_650_000_000), addedDate: environment.now, modificationDate: environment.now,
        flags: number < hidden ? .hidden : [], fileName: "\(number).jpg")
    }
    contents.libraries[index].catalogue = try Catalogue(rows + more)
    contents.libraries[index].nextNumber = UInt32(first + members)
    guard let place = contents.libraries[index].albums.firstIndex(where: { $0.identifier == album }) else { return }
    contents.libraries[index].albums[place].members = more.map(\.number)
    store.rewind(to: contents)
    try restart()
  }

  /// Restarts the broker with these members in all albums that an app made.
  func fillAlbums(of app: AppIdentifier, with members: [Int]) throws {
    var contents = store.contents
    guard let index = contents.libraries.firstIndex(where: { $0.record.name == photos }) else { return }
    for place in contents.libraries[index].albums.indices where contents.libraries[index].albums[place].creator == app {
      contents.libraries[index].albums[place].members = members.map { AssetNumber(UInt32($0)) }
    }
    store.rewind(to: contents)
    try restart()
  }

  /// Reattaches the app of an earlier session, with its albums visible.
  func reattached(_ session: Session) throws -> Permit {
    let (app, again) = (session.app!.identifier, connect())
    _ = try again.attach(done { anna.tokens.mint(library: photos, app: app, level: .readWrite, completion: $0) }.text)
    let permit = try again.authorize(.edit)
    let all = Set(library.albums.records.keys)
    broker.setAlbums(AlbumAccess(visible: .only(all), editable: .only(all), mayCreate: true), of: permit.grant)
    return permit
  }

  func row(_ number: Int) -> AssetRow? { library.catalogue.row(of: AssetNumber(UInt32(number))) }

  /// The stored contents of Anna's library.
  var kept: LibraryContents { store.contents.libraries.first { $0.record.name == photos }! }

  /// Folds the log, whatever its length.
  func foldLog() {
    library.changes.foldLog(
      broker.grants(in: photos).filter { $0.record.status.grantsAccess && $0.record.key.level == .readWrite })
  }

  /// Reports new bytes of the asset's file, or a change of cloud sharing; nil: the same as before.
  func update(_ number: Int, isShared: Bool? = nil) throws {
    guard let row = library.catalogue.row(of: AssetNumber(UInt32(number))) else { return }
    var record = photo(row.fileName + "'", flags: isShared ?? row.flags.contains(.cloudShared) ? .cloudShared : [])
    record.row.number = row.number
    _ = try done { library.scan.apply([.update(record)], completion: $0) }
  }

  /// Reports that the asset's files belong to another asset.
  func remove(_ number: Int) throws {
    _ = try done { library.scan.apply([.remove(AssetNumber(UInt32(number)))], completion: $0) }
  }

  /// Reports that the assets' files are missing.
  func lose(_ numbers: Int...) throws {
    _ = try done { library.scan.apply(numbers.map { .lose(AssetNumber(UInt32($0))) }, completion: $0) }
  }

  /// The session of the same app after a restart of the broker.
  func again(_ session: Session) throws -> Session {
    let (app, again) = (session.app!.identifier, connect())
    _ = try again.attach(done { anna.tokens.mint(library: photos, app: app, level: .readWrite, completion: $0) }.text)
    return again
  }

  func caption(of asset: AssetNumber) -> String? { store.captions[photos]?[asset] }

  func mark(_ numbers: [Int], favourite: Bool? = nil, hidden: Bool? = nil, neverShare: Bool? = nil) throws {
    _ = try done {
      library.marks.set(
        selection(numbers), favourite: favourite, hidden: hidden, neverShare: neverShare, completion: $0)
    }
  }

  /// The assets that an app sees, by its own identifiers.
  func list(_ permit: Permit) throws -> [AssetIdentifier: AssetRow] {
    guard let view = permit.view else { return [:] }
    let catalogue = permit.library.catalogue
    let rows = catalogue.numbers(in: catalogue.selection(matching: Query(), in: view)).compactMap {
      catalogue.row(of: $0)
    }
    let seals = try permit.library.seals[permit.app]
    return Dictionary(uniqueKeysWithValues: try rows.map { (try seals.seal($0.identifier), $0) })
  }

  func changes(_ permit: Permit, since token: String?) throws -> ChangeEvent {
    try permit.library.changes.list(since: token, grant: permit.grant, attenuation: permit.attenuation)
  }

  func target(_ permit: Permit, _ number: Int, version: UInt64? = nil) throws -> AssetTarget {
    AssetTarget(identifier: try sealed(permit, number), version: version)
  }

  /// The app's identifier for an asset, present or not.
  func sealed(_ permit: Permit, _ number: Int) throws -> AssetIdentifier {
    let row = library.catalogue.row(of: AssetNumber(UInt32(number)))
    return try library.seals[permit.app].seal(row?.identifier ?? AssetIdentifier(high: 7, low: UInt64(number)))
  }

  /// Creates an asset for an app, with a file that is in the storage.
  func create(
    _ permit: Permit, _ file: AssetRecord, additions: [Addition.Number] = [],
    pendingImports: PendingImports = PendingImports()
  ) throws -> AssetNumber {
    let (broker, library) = (broker, library)
    let created = CreatedAssets(
      records: [file], additions: additions, app: permit.app,
      joining: { broker.joiningGrant(of: permit.app, in: library.record.name) },
      pendingImports: pendingImports)
    let outcome = try done {
      library.perform(
        [.createAsset(AssetCreation())], grant: permit.grant, attenuation: permit.attenuation, dryRun: false,
        created: created,
        refusal: { nil }, completion: $0)
    }
    return try library.assets.asset(library.seals[permit.app].open(outcome.createdAssets[0]), in: .owner).number
  }

  func perform(_ permit: Permit, _ steps: [ChangeStep], dryRun: Bool = false) throws -> ChangeOutcome {
    try done {
      library.perform(
        steps, grant: permit.grant, attenuation: permit.attenuation, dryRun: dryRun, refusal: { nil }, completion: $0)
    }
  }
}

extension AlbumAccess {
  /// All albums, as full access gives them (R49).
  static let full = AlbumAccess(visible: .all, editable: .all, mayCreate: true)
}

extension AdminPrompts {
  /// The display of all pending prompts.
  func views(language: String?) -> [PromptView] { waiting.map { view(of: $0, in: .init(language)) } }
}

extension LocalizedText {
  func text(for languages: String?) -> String? { text(for: Languages(languages)) }
}
