import Broker
import Catalogue
import PhotoModel
import Testing

/// The changes since the revision that a page knows.
@Suite struct RecentChangesTests {
  private let world: World

  init() throws { world = try World() }

  private func identifier(_ number: UInt32) throws -> AssetIdentifier {
    try #require(world.library.catalogue.row(of: AssetNumber(number))?.identifier)
  }

  private func since(_ revision: Int64) -> Set<AssetIdentifier>? {
    world.library.changes.recent.since(revision, now: world.library.changes.revision)
  }

  private func favourite(_ numbers: [Int], _ isOn: Bool = true) throws {
    _ = try done {
      world.anna.marks.set(
        library: world.photos, world.selection(numbers), favourite: isOn, hidden: nil, neverShare: nil, completion: $0)
    }
  }

  @Test func `exactly the marks, additions and removals since a revision are reported`() throws {
    let start = world.library.changes.revision
    #expect(since(start) == [])
    try favourite([1, 2])
    let middle = world.library.changes.revision
    let gone = try identifier(3)
    try world.remove(3)
    #expect(since(start) == [try identifier(1), try identifier(2), gone])
    #expect(since(middle) == [gone])
    let album = OwnedAlbumEdit(title: "Trip", adding: nil, removing: nil, isShared: nil, deletes: false)
    _ = try done { world.anna.albums.edit(nil, of: world.photos, album, completion: $0) }
    #expect(since(middle) == [gone], "an album is none of the photos")
    #expect(since(world.library.changes.revision) == [])
  }

  @Test func `a revision that is too old or from another run is unknown`() throws {
    try world.restart()
    let start = world.library.changes.revision
    #expect(since(start - 1) == nil && since(start + 1) == nil)
    for round in 0..<2_100 { try favourite([1, 2], round % 2 == 0) }
    #expect(since(start) == nil, "rather than some of it")
    #expect(since(world.library.changes.revision - 10) == [try identifier(1), try identifier(2)])
  }
}
