import Broker
import Macaroons
import PhotoModel
import Testing

/// After a restore of an older database, everything that gives access waits for the owner (R144).
struct RestoredTests {
  private static func rights(_ library: LibraryState) -> [Bool] {
    let record = library.record
    return [
      library.isOffered(to: World.appUser), library.isOwner(World.bert), record.administratorsSee,
      record.administratorsDecide,
      record.sharesOriginals, record.appsDelete, library.albums.values.contains(where: \.isShared),
    ]
  }

  /// A library that gives access in every possible way.
  private static func generous() throws -> World {
    let world = try World()
    let edit = OwnedAlbumEdit(
      title: "Family", adding: world.selection([1]), removing: nil, isShared: true, deletes: false)
    _ = try done { world.anna.albums.edit(nil, of: world.photos, edit, completion: $0) }
    let delegation = Delegation(coOwners: [World.bert], administratorsSee: true, administratorsDecide: true)
    _ = try done { world.anna.rights.delegate(world.photos, delegation, completion: $0) }
    try world.accept(world.photos, by: World.bert)
    _ = try done { world.anna.rights.shareOriginals(world.photos, true, completion: $0) }
    try done { world.root.administrators.set([4_000], completion: $0) }
    #expect(rights(world.library) == [Bool](repeating: true, count: 7))
    return world
  }

  @Test func `R144 everything that gives access is withdrawn, recorded, and individually undoable`() throws {
    let world = try Self.generous()
    let backup = world.store.contents
    // A restriction after the backup, which the broker cannot know.
    _ = try done { world.anna.rights.offer(world.photos, to: [], completion: $0) }
    let floor = try #require(world.store.contents.settings[SettingName.epochFloor])
    world.store.rewind(to: backup)
    world.store.put(SettingName.outsideEpochFloor, floor)
    try world.restart()
    for _ in 0..<2 {
      #expect(Self.rights(world.library) == [Bool](repeating: false, count: 7))
      #expect(
        world.library.isOffered(to: World.anna) && world.library.isOwner(World.anna), "the owner's own programs stay")
      #expect(world.broker.administrators.all == [])
      // A second start gives the same.
      world.store.put(SettingName.outsideEpochFloor, "0")
      try world.restart()
    }
    let restored = world.store.log.enumerated().filter { $0.element.source == .restore }
    #expect(
      restored.map(\.element.action).sorted()
        == ["administrators", "album", "delegate", "deletions", "deletions", "mark", "mark", "offer", "originals"]
        .sorted())
    for (number, decision) in restored where decision.library != world.holidays {
      let session = decision.action == "administrators" ? world.root : world.anna
      _ = try done { session.decisions.undo(UInt64(number), completion: $0) }
    }
    // Former co-owners are unknown, so everybody is asked again.
    #expect(world.library.users(.coOwner, .offered) == [World.bert])
    try world.accept(world.photos, by: World.bert)
    #expect(Self.rights(world.library) == [Bool](repeating: true, count: 7))
    #expect(world.broker.administrators.all == [4_000])
  }

  @Test(arguments: [true, false])
  func `R126 R144 the undo of a restore's withdrawal asks a co-owner again unless known to have stayed`(
    _ known: Bool
  )
    throws
  {
    let world = try Self.generous()
    let floor = try #require(UInt64(world.store.contents.settings[SettingName.epochFloor] ?? "0")) + 3
    world.store.put(SettingName.outsideEpochFloor, String(floor))
    world.store.put(SettingName.restored, "\(known ? floor : floor - 1) photos")
    try world.restart()
    #expect(world.library.owners == [World.anna])
    let number = try #require(world.store.log.lastIndex { $0.action == "delegate" && $0.source == .restore })
    _ = try done { world.anna.decisions.undo(UInt64(number), completion: $0) }
    #expect(world.library.isOwner(World.bert) == known)
    try world.restart()
    #expect(world.library.isOwner(World.bert) == known && world.library.record.coOwners == [World.bert])
  }

  @Test(arguments: ["known", "revoked", "behind", "none"])
  func `R17 R144 apps stay known by own tokens that a restore left valid, unless the replaced state was older`(
    _ noted: String
  )
    throws
  {
    let world = try World()
    let app = try world.app(.allow)
    let own = try #require(app.app).record.accessor
    let floor = try #require(UInt64(world.store.contents.settings[SettingName.epochFloor] ?? "0")) + 3
    world.store.put(SettingName.outsideEpochFloor, String(floor))
    if noted != "none" { world.store.put(SettingName.restored, "\(noted == "behind" ? floor - 1 : floor) photos") }
    if noted == "revoked" { world.store.commit([.revokeToken(own)]) { _ in } }
    try world.restart()
    let now = try #require(world.store.contents.apps.first).accessor
    #expect((now == own) == (noted == "known"))
    let grant = try #require(try world.anna.grants.list().first).record
    #expect(grant.isPaused, "its grant waits for its owner in either case")
    #expect((grant.source, grant.role, grant.decided) == (.restore, .rule, world.environment.now), "and says why")
    #expect((world.store.contents.settings[SettingName.restored] ?? "").isEmpty)
    // Restores the same copy again, with a restriction in between.
    world.store.put(SettingName.outsideEpochFloor, String(floor + 9))
    try world.restart()
    #expect(try #require(world.store.contents.apps.first).accessor != own)
  }

  @Test(arguments: [true, false])
  func `R13 R144 no grant is given before an owner confirms marks unknown to the restore`(_ known: Bool)
    throws
  {
    let world = try World()
    let app = try world.app(.allow)
    let identifier = try #require(app.app).identifier
    let floor = try #require(UInt64(world.store.contents.settings[SettingName.epochFloor] ?? "0")) + 3
    world.store.put(SettingName.outsideEpochFloor, String(floor))
    // The other library's marks are no concern of this one.
    world.store.put(SettingName.restored, "\(floor) \(known ? world.photos : world.holidays)")
    try world.restart()
    func resume() throws {
      _ = try done {
        world.anna.grants.pause(RevocationScope(library: world.photos, app: identifier), paused: false, completion: $0)
      }
    }
    func give(_ status: AuthorizationStatus) throws {
      _ = try done {
        world.anna.grants.set(
          library: world.photos, app: identifier, level: .readWrite, GrantSettings(status: status), completion: $0)
      }
    }
    let note = world.store.log.lastIndex { $0.action == "mark" && $0.source == .restore && $0.library == world.photos }
    guard !known else {
      #expect(note == nil)
      return try resume()
    }
    for _ in 0..<2 {
      #expect(code { try resume() } == .refused)
      try give(.denied)
      #expect(code { try give(.authorized) } == .refused, "nor is one given anew")
      try world.restart()
    }
    let number = UInt64(try #require(note))
    #expect(code { _ = try done { world.root.decisions.undo(number, completion: $0) } } == .notPermitted)
    _ = try done { world.anna.decisions.undo(number, completion: $0) }
    #expect(code { _ = try done { world.anna.decisions.undo(number, completion: $0) } } == .refused)
    try give(.authorized)
    try world.restart()
    try give(.limited)
    try give(.authorized)
  }

  @Test func `R144 without a revocation since, nothing is withdrawn`() throws {
    let world = try Self.generous()
    world.store.put(SettingName.outsideEpochFloor, world.store.contents.settings[SettingName.epochFloor] ?? "0")
    try world.restart()
    #expect(Self.rights(world.library) == [Bool](repeating: true, count: 7))
    #expect(world.broker.administrators.all == [4_000] && !world.store.log.contains { $0.source == .restore })
  }

  enum Taking: CaseIterable {
    case storageOptions, policyOptions, offer, coOwner, administrators, originals, deletions, neverShare, hidden,
      alsoNeverShare, sharing
  }

  @Test(arguments: Taking.allCases)
  func `R144 every revocation makes older copies recognizable`(_ taking: Taking) throws {
    let world = try Self.generous()
    if taking == .alsoNeverShare { try mark(world, hidden: true) }
    func floor() -> UInt64 { UInt64(world.store.contents.settings[SettingName.epochFloor] ?? "0") ?? 0 }
    let before = floor()
    switch taking {
    case .storageOptions:
      _ = try done {
        world.anna.libraries.setUp(world.photos, LibrarySetup(options: ["ignore": "private"]), completion: $0)
      }
    case .policyOptions:
      _ = try done {
        world.anna.libraries.setUp(
          world.photos, LibrarySetup(policyOptions: ["shared-read": ["create": "false"]]), completion: $0)
      }
    case .offer: _ = try done { world.anna.rights.offer(world.photos, to: [], completion: $0) }
    case .coOwner: _ = try done { world.anna.rights.delegate(world.photos, Delegation(coOwners: []), completion: $0) }
    case .administrators: try done { world.root.administrators.set([], completion: $0) }
    case .originals: _ = try done { world.anna.rights.shareOriginals(world.photos, false, completion: $0) }
    case .deletions: _ = try done { world.anna.rights.allowDeletions(world.photos, false, completion: $0) }
    case .neverShare, .alsoNeverShare: try mark(world, neverShare: true)
    case .hidden: try mark(world, hidden: true)
    case .sharing:
      let album = try #require(world.library.albums.records.keys.first)
      let edit = OwnedAlbumEdit(title: nil, adding: nil, removing: nil, isShared: false, deletes: false)
      _ = try done { world.anna.albums.edit(album, of: world.photos, edit, completion: $0) }
    }
    #expect(floor() > before)
  }

  private func mark(_ world: World, hidden: Bool? = nil, neverShare: Bool? = nil) throws {
    _ = try done {
      world.anna.marks.set(
        library: world.photos, world.selection([2]), favourite: nil, hidden: hidden, neverShare: neverShare,
        completion: $0)
    }
  }
}
