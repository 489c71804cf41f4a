import Catalogue
import Macaroons
import PhotoModel
import TestSupport
import Testing

@testable import Broker

/// R45, R62, R70: the log entries told to a grant are exactly those that it could see, compared
/// with a library played forward.
@Suite struct VisibilityTests {
  private struct State {
    var isThere: Bool
    var isShared: Bool
    var isSelected: Bool

    func isVisible(isLimited: Bool) -> Bool { isThere && (!isLimited || !isShared && isSelected) }
  }

  private static let library = LibraryName("photos")!
  private static let mine = GrantKey(library: library, app: AppIdentifier(high: 0, low: 1), level: .readWrite)
  private static let others = GrantKey(library: library, app: AppIdentifier(high: 0, low: 2), level: .readWrite)
  private static let album = AlbumIdentifier(high: 0, low: 1)

  private func identifier(_ number: Int) -> AssetIdentifier { AssetIdentifier(high: 7, low: UInt64(number)) }

  /// Makes a random change of an asset, and returns its log entry.
  private func step(_ state: inout State, using random: inout SeededGenerator) -> (
    kind: ChangeRecord.Kind, album: AlbumIdentifier?, grant: GrantKey?
  ) {
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1:
      state.isSelected.toggle()
      return (state.isSelected ? .selected : .unselected, nil, Self.mine)
    case 2, 3:
      state.isThere.toggle()
      if state.isShared { return (state.isThere ? .sharedAppeared : .sharedDisappeared, nil, nil) }
      return (state.isThere ? .appeared : .disappeared, nil, nil)
    case 4 where state.isThere:
      state.isShared.toggle()
      return (state.isShared ? .shared : .unshared, nil, nil)
    case 5: return (Bool.random(using: &random) ? .selected : .unselected, nil, Self.others)
    case 6: return (.album, Self.album, nil)
    default: return (.changed, nil, nil)
    }
  }

  @Test(arguments: [AuthorizationStatus.limited, .authorized], 0..<60)
  func `reported changes are those visible before or after, whatever came since`(
    _ status: AuthorizationStatus, _ seed: Int
  ) throws {
    var random = SeededGenerator(UInt64(seed))
    let isLimited = status == .limited
    var states = (0..<6).map { _ in
      State(isThere: .random(using: &random), isShared: .random(using: &random), isSelected: .random(using: &random))
    }
    var log: [ChangeRecord] = []
    var expected: [ChangeRecord] = []
    for sequence in 1...80 {
      let asset = Int.random(in: states.indices, using: &random)
      let before = states[asset]
      let what = step(&states[asset], using: &random)
      var record = ChangeRecord(
        sequence: UInt64(sequence), kind: what.kind, asset: AssetNumber(UInt32(asset + 1)),
        identifier: identifier(asset),
        album: what.album, grant: what.grant)
      log.append(record)
      guard what.grant == nil || (isLimited && what.grant == Self.mine),
        let kind = what.kind.seen(isLimited: isLimited),
        before.isVisible(isLimited: isLimited) || states[asset].isVisible(isLimited: isLimited)
      else { continue }
      record.kind = kind
      expected.append(record)
    }

    let time = Timestamp(microseconds: 0)
    var catalogue = Catalogue()
    for (asset, state) in states.enumerated() {
      let flags: AssetFlags = [state.isThere ? [] : .hidden, state.isShared ? .cloudShared : []]
      try catalogue.insert(
        AssetRow(
          number: AssetNumber(UInt32(asset + 1)), identifier: identifier(asset), addedDate: time,
          modificationDate: time, flags: flags))
    }
    let selected = states.indices.filter { states[$0].isSelected }.map { AssetNumber(UInt32($0 + 1)) }
    let grant = GrantState(
      record: GrantRecord(
        key: Self.mine, status: status, isPaused: false, expires: nil, albumPolicy: "own", role: .owner, decided: time,
        accessor: Accessor(high: 0, low: 1), epoch: 1), selection: catalogue.selection(of: selected))
    for start in [0, 20, 60, 79] {
      var filter = ChangeVisibilityFilter(of: grant, catalogue: catalogue)
      #expect(filter.seen(of: log[start...]) == expected.filter { $0.sequence > UInt64(start) })
    }
  }
}
