import Broker
import Catalogue
import PhotoModel
import StoreScript
import Testing

@testable import BrokerStore

/// The order and the grouping of commits.
@Suite struct CommitTurnsTests {
  private func commit(_ changes: [StoreChange]) -> PendingCommit { PendingCommit(changes: changes) { _ in } }

  private func content(_ library: UInt64, _ count: Int, caption: String = "") -> PendingCommit {
    commit((0..<count).map { .setCaption(Samples.name(library), AssetNumber(UInt32($0)), caption) })
  }

  private func attenuation(_ library: UInt64, _ app: UInt64 = 1) -> PendingCommit {
    commit([.removeGrant(Samples.key(library, app)), .putSetting(name: SettingName.epochFloor, value: "\(app)")])
  }

  /// The groups that are written, with the library and the number of changes of each commit.
  private func groups(_ commits: [PendingCommit]) -> [[String]] {
    var turns = CommitTurns()
    for commit in commits { turns.add(commit) }
    var groups: [[String]] = []
    while !turns.isEmpty {
      groups.append(
        turns.next().map { commit in
          let library =
            switch commit.changes.first {
            case .setCaption(let name, _, _), .putAlbum(let name, _): name.description
            case .removeGrant(let key): key.library.description
            default: ""
            }
          return "\(library) \(commit.changes.count)"
        })
    }
    return groups
  }

  private let one = Samples.name(1).description
  private let two = Samples.name(2).description
  private let three = Samples.name(3).description

  @Test func `R14 a revocation does not wait for earlier large changes of other libraries`() {
    let groups = groups([content(1, 4_000), content(2, 4_000), attenuation(3)])
    #expect(groups == [["\(three) 2"], ["\(one) 4000"], ["\(two) 4000"]])
  }

  @Test func `R14 a revocation does not wait for a large album of another library`() {
    let album = AlbumRecord(
      identifier: AlbumIdentifier(high: 1, low: 1), title: "All", creator: nil, source: .userLibrary,
      created: Samples.time(1), members: (0..<4_000).map { AssetNumber($0) })
    #expect(groups([commit([.putAlbum(Samples.name(1), album)]), attenuation(3)]) == [["\(three) 2"], ["\(one) 1"]])
  }

  @Test
  func
    `R14 revocations go before earlier small changes of other libraries, and without later ones`()
  {
    let groups = groups([content(1, 3), content(2, 4), attenuation(3), attenuation(3, 2), content(1, 1)])
    #expect(groups == [["\(three) 2", "\(three) 2"], ["\(one) 3", "\(two) 4", "\(one) 1"]])
  }

  @Test func `R14 a revocation precedes no change of rights and no change of its own library`() {
    let rights = groups([
      content(1, 3), commit([.putGrant(Samples.grant(Samples.key(3, 1), epoch: 1))]), content(2, 4), attenuation(3),
    ])
    #expect(rights == [["\(one) 3", " 1", "\(three) 2", "\(two) 4"]])
    let content = groups([content(1, 3), content(3, 1), content(2, 4), attenuation(3)])
    #expect(content == [["\(one) 3", "\(three) 1", "\(three) 2", "\(two) 4"]])
  }

  @Test
  func
    `R14 a revocation goes before a large change whose turn it is, and small changes pass many revocations`()
  {
    var turns = CommitTurns()
    turns.add(content(1, 3))
    _ = turns.next()
    turns.add(content(1, 4_000))
    turns.add(content(2, 5))
    var sizes: [[Int]] = []
    for number in 0..<3 {
      turns.add(attenuation(3, UInt64(number)))
      sizes.append(turns.next().map(\.changes.count))
    }
    #expect(sizes == [[2], [4_000], [2, 2, 5]])
  }

  @Test func `commits of one library keep their order`() {
    let groups = groups([content(1, 4_000), content(2, 4_000), attenuation(1), content(1, 3), content(3, 1)])
    #expect(groups == [["\(one) 4000"], ["\(one) 2"], ["\(two) 4000"], ["\(one) 3", "\(three) 1"]])
  }

  @Test func `large commits are written in between, however many small ones arrive`() {
    var turns = CommitTurns()
    turns.add(content(1, 4_000))
    turns.add(content(2, 5_000))
    var sizes: [Int] = []
    for number in 0..<6 {
      turns.add(attenuation(3, UInt64(number)))
      sizes.append(turns.next().map(\.changes.count).reduce(0, +))
    }
    #expect(sizes == [2, 4_000, 4, 2, 5_000, 4])
  }

  @Test func `a group is bounded in commits and changes, and any single commit fits`() {
    let many = groups((0..<300).map { _ in content(1, 1) })
    #expect(many.map(\.count) == [CommitTurns.groupLimit, 300 - CommitTurns.groupLimit])
    let wide = groups((0..<6).map { _ in content(1, 500) })
    #expect(wide.map(\.count) == [4, 2])
    #expect(groups([content(1, 100_000)]).count == 1)
  }

  @Test func `a setting or an app's removal overtakes nothing`() {
    for change in [StoreChange.putSetting(name: "any", value: ""), .removeApp(Samples.app(1))] {
      let groups = groups([content(1, 4_000), content(2, 4_000), commit([change])])
      #expect(groups.map(\.count) == [1, 1, 1] && groups.last == [" 1"])
    }
  }
}
