import Broker
import Catalogue
import Macaroons
import PhotoModel
import Testing

/// R152: an app's changes of photos are recorded with the state before and after, and the owner can
/// undo them.
@Suite struct AppChangesTests {
  private let world: World
  private let app: Session
  private let date = Timestamp(seconds: 1_000_000_000)!
  private let place = GeoPoint(latitudeE7: 10, longitudeE7: 20)

  init() throws {
    world = try World()
    app = try world.app(.allow)
  }

  private func perform(_ steps: [ChangeStep]) throws { _ = try world.perform(app.authorize(.edit), steps) }
  private func target(_ number: Int) throws -> AssetTarget { try world.target(app.authorize(.edit), number) }

  private func entries(_ person: AdminSession) throws -> [KeptDecision] {
    try done { person.decisions.list(library: world.photos, DecisionQuery(limit: 1_000), completion: $0) }.entries
  }

  private func ofApp() throws -> [KeptDecision] { try entries(world.anna).filter { $0.record.role == .app } }

  private func undo(_ entry: KeptDecision, _ person: AdminSession? = nil) throws {
    _ = try done { (person ?? world.anna).decisions.undo(entry.number, completion: $0) }
  }

  private func change(_ entry: KeptDecision) -> ValueChange<AssetValues?>? {
    if case .asset(let change) = entry.change?.object { change } else { nil }
  }

  @Test func `R152 each edited photo of a request has a decision, and its words have no value`() throws {
    try perform([
      .setCaption([try target(1), try target(2)], "theirs"), .setFavorite([try target(1)], true),
      .setLocation([try target(3)], place),
    ])
    let entries = try ofApp()
    #expect(entries.count == 3)
    for entry in entries {
      let number = try #require(change(entry)?.after?.asset)
      let identifier = try #require(world.library.catalogue.row(of: number)).identifier
      #expect(entry.record.action == "editPhoto" && entry.record.actor == World.appUser)
      #expect(entry.record.app == app.app?.identifier && entry.record.source == .app)
      #expect(entry.record.before == "" && entry.record.after == "asset \(identifier)")
      #expect(world.anna.decisions.mayUndo(entry))
      #expect(!world.root.decisions.mayUndo(entry) && !world.bert.decisions.mayUndo(entry))
    }
    let first = try #require(entries.compactMap(change).first { $0.after?.asset == AssetNumber(1) })
    #expect(first.before?.caption == "" && first.after?.caption == "theirs")
    #expect(first.before?.isFavourite == false && first.after?.isFavourite == true)
    #expect(first.before?.date == first.after?.date)
    #expect(code { try self.entries(world.bert) } == .notFound(what: "library"))
  }

  @Test func `R152 dry runs and repeated values are not recorded`() throws {
    try perform([.setCaption([try target(1)], "theirs"), .setFavorite([try target(1)], true)])
    try perform([.setCaption([try target(1)], "theirs"), .setFavorite([try target(1)], true)])
    _ = try world.perform(app.authorize(.edit), [.setFavorite([try target(2)], true)], dryRun: true)
    #expect(try ofApp().count == 1)
  }

  @Test(arguments: [false, true])
  func `R152 an edit is undone and the undo too, also after a restart and the app's removal`(_ restarts: Bool) throws {
    let before = try #require(world.row(1))
    try perform([
      .setCaption([try target(1)], "theirs"), .setFavorite([try target(1)], true),
      .setCreationDate([try target(1)], date), .setLocation([try target(1)], place),
    ])
    let entry = try #require(ofApp().first)
    if restarts {
      try world.restart()
      _ = try done { world.root.apps.remove(entry.record.app!, completion: $0) }
    }
    try undo(entry)
    let row = try #require(world.row(1))
    #expect((row.creationDate, row.dateOrigin) == (before.creationDate, before.dateOrigin))
    #expect(row.location == nil && !row.flags.contains(.favourite) && row.version != before.version)
    #expect(world.caption(of: AssetNumber(1)) == "")
    #expect(code { try undo(entry) } == .refused, "it is undone")
    let undone = try #require(entries(world.anna).first { $0.record.undoes == entry.number })
    try undo(undone)
    #expect(world.row(1)?.creationDate == date && world.row(1)?.location == place)
    #expect(world.caption(of: AssetNumber(1)) == "theirs")
  }

  @Test func `R152 an undo is refused if a value changed again, and only owners undo`() throws {
    try perform([.setFavorite([try target(1)], true)])
    try perform([.setCaption([try target(1)], "theirs")])
    let (caption, favourite) = (try ofApp()[0], try ofApp()[1])
    try world.mark([1], favourite: false)
    #expect(code { try undo(favourite) } == .refused)
    #expect(code { try undo(caption, world.root) } == .notPermitted)
    #expect(code { try undo(caption, world.bert) } == .notFound(what: "decision"))
    try undo(caption)
    #expect(world.row(1)?.flags.contains(.favourite) == false && world.caption(of: AssetNumber(1)) == "")
  }

  @Test func `R152 added and deleted photos are recorded, and the undo trashes and restores them`() throws {
    let added = try world.create(app.authorize(.edit), world.photo("new.jpg"))
    try perform([.delete([try target(2)])])
    let (deletion, addition) = (try ofApp()[0], try ofApp()[1])
    #expect(deletion.record.action == "deletePhoto" && addition.record.action == "addPhoto")
    #expect(change(deletion)?.after == nil && change(addition)?.before == nil)
    try undo(deletion)
    #expect(world.row(2)?.flags.contains(.trashed) == false)
    #expect(world.library.trash.deletions[AssetNumber(2)] == nil)
    #expect(code { try undo(deletion) } == .refused)
    try undo(addition)
    #expect(world.library.catalogue.row(of: added)?.flags.contains(.trashed) == true)
    #expect(world.library.trash.awaiting.isEmpty)
    #expect(code { try undo(addition) } == .refused)
  }

  @Test func `R152 a photo that is edited and deleted in one request has both decisions`() throws {
    try perform([.setFavorite([try target(2)], true), .delete([try target(2)])])
    let entries = try ofApp()
    #expect(entries.map(\.record.action) == ["deletePhoto", "editPhoto"])
    for entry in entries { try undo(entry) }
    #expect(world.row(2)?.flags.isDisjoint(with: [.trashed, .favourite]) == true)
  }

  @Test func `R152 an undo of a deletion waits until it is committed`() throws {
    try perform([.delete([try target(2)])])
    let entry = try ofApp()[0]
    world.store.refusals = 1
    #expect(code { try undo(entry) } == .failed)
    #expect(try world.row(2)?.flags.contains(.trashed) == true && entries(world.anna)[0].number == entry.number)
  }

  @Test func `R152 an owner resets a photo to the values of its file, and undoes that`() throws {
    try perform([.setCaption([try target(1)], "theirs"), .setFavorite([try target(1)], true)])
    try perform([.setCreationDate([try target(1)], date)])
    var file = world.photo("a.jpg")
    file.row = try #require(world.row(1))
    (file.row.creationDate, file.row.dateOrigin) = (Timestamp(seconds: 5), .offset)
    file.row.location = place
    file.edited = [.caption, .favourite, .creationDate]
    file.caption = "theirs"
    world.delegate.onFilesReleased = { [world] in
      world.library.scan.begin()
      world.library.scan.apply([.reread(file, caption: "of the file", isFavourite: false)]) { _ in }
      world.library.scan.end()
    }
    let numbers: Set<AssetNumber> = [AssetNumber(1), AssetNumber(2)]
    let outcome = try done { world.anna.assets.reset(numbers, of: world.photos, completion: $0) }
    #expect(outcome.changed == 1, "the other file was not read")
    let row = try #require(world.row(1))
    #expect(row.creationDate == file.row.creationDate && row.dateOrigin == .offset && row.location == place)
    #expect(!row.flags.contains(.favourite) && world.caption(of: AssetNumber(1)) == "of the file")
    #expect(world.store.assets[world.photos]?[AssetNumber(1)]?.edited == [])
    let entry = try #require(entries(world.anna).first)
    #expect(outcome.decisions == [entry.number] && entry.record.action == "resetPhoto")
    // The file is followed again.
    file.row.creationDate = Timestamp(seconds: 6)
    file.row.flags.remove(.favourite)
    (file.edited, file.caption) = ([], "of the file")
    _ = try done { world.library.scan.apply([.reread(file, caption: "of the file")], completion: $0) }
    #expect(world.row(1)?.creationDate == Timestamp(seconds: 6))
    #expect(code { try undo(entry) } == .refused)
    file.row.creationDate = Timestamp(seconds: 5)
    _ = try done { world.library.scan.apply([.reread(file, caption: "of the file")], completion: $0) }
    try undo(entry)
    #expect(world.row(1)?.creationDate == date && world.row(1)?.flags.contains(.favourite) == true)
    #expect(world.caption(of: AssetNumber(1)) == "theirs")
    #expect(code { try done { world.root.assets.reset(numbers, of: world.photos, completion: $0) } } == .notPermitted)
  }
}
