package import Broker
import Catalogue
import PhotoModel
import TestSupport

/// A reproducible series of commits that touches everything a store can hold.
package enum Script {
  /// - Parameter count: the number of commits; the first few make the objects that later ones need.
  package static func commits(_ count: Int, seed: UInt64 = 1) -> [[StoreChange]] {
    var generator = SeededGenerator(seed)
    var state = State()
    var commits: [[StoreChange]] = [
      [.putLibrary(Samples.library(1)), .putSetting(name: "brokerKey", value: "00ff")],
      [.putLibrary(Samples.library(2)), .putApp(Samples.appRecord(1)), .putApp(Samples.appRecord(2))],
    ]
    while commits.count < count { commits.append(state.next(&generator)) }
    return Array(commits.prefix(count))
  }

  private struct State {
    var assets: [UInt32] = []
    var nextAsset: UInt32 = 0
    var sequence: UInt64 = 1
    var epoch: UInt64 = 0
    var number: UInt64 = 10
    var hasThird = false

    mutating func next(_ generator: inout SeededGenerator) -> [StoreChange] {
      number += 1
      let key = Samples.key(.random(in: 1...2, using: &generator), .random(in: 1...2, using: &generator))
      switch Int.random(in: 0..<12, using: &generator) {
      case 0, 1: return newAssets(Int.random(in: 1...40, using: &generator), generator.next() % 2 == 0 ? key.app : nil)
      case 2:
        guard let asset = assets.randomElement(using: &generator) else { return newAssets(1, nil) }
        return [
          .updateRow(Samples.name(1), Samples.row(asset, version: UInt32(number)), edited: [.location]),
          .setCaption(Samples.name(1), AssetNumber(asset), number % 2 == 0 ? nil : "caption \(number)"),
          .noteDigest(
            Samples.name(1), AssetNumber(asset), contentVersion: number % 3 == 0 ? "another" : "v\(asset)",
            digest: [UInt8](repeating: UInt8(number % 256), count: 32)),
          .awaitTrash(Samples.name(1), AssetNumber(asset), number % 3 != 1),
          .noteDeletion(
            Samples.name(1), AssetNumber(asset),
            number % 3 == 1 ? nil : Deletion(app: key.app, time: Samples.time(number))),
          change(.changed, asset),
        ]
      case 3:
        guard let index = assets.indices.randomElement(using: &generator) else { return newAssets(1, nil) }
        let asset = assets.remove(at: index)
        let time = Samples.time(number)
        var lost = Samples.asset(asset)
        lost.row.flags.insert(.missing)
        let back = Samples.asset(asset / 3)
        let loss: [StoreChange] = [
          .putAsset(Samples.name(1), lost), .noteMissing(Samples.name(1), AssetNumber(asset), since: time),
          .putAsset(Samples.name(1), back), .noteMissing(Samples.name(1), back.row.number, since: nil),
        ]
        return (number % 5 > 0 ? loss : [.removeAsset(Samples.name(1), AssetNumber(asset))]) + [
          change(.disappeared, asset),
          .putDetached(Samples.name(1), Samples.detached(number)),
          .putDetached(Samples.name(1), Samples.detached(number % 16)),
          .forgetDetached(Samples.name(1), placesEndedBefore: Samples.time(number / 2)),
        ]
      case 4, 5: return attenuation(key)
      case 6, 7: return widening(key, &generator)
      case 8:
        let members = assets.prefix(Int.random(in: 0...300, using: &generator)).map { AssetNumber($0) }
        let album = AlbumRecord(
          identifier: AlbumIdentifier(high: 1, low: number % 3), title: "Album '\(number)'",
          creator: number % 2 == 0 ? key.app : nil,
          source: .userLibrary, created: Samples.time(number), members: members.reversed(), isShared: number % 4 == 1)
        return [
          .putDetached(Samples.name(1), Samples.detached(number)), .putAlbum(Samples.name(1), album),
          .removeAlbum(Samples.name(1), AlbumIdentifier(high: 1, low: (number + 1) % 3)),
        ]
      case 9:
        return [
          .notePick(Samples.name(1), key.app, assets: Int(number % 5), at: Samples.time(number)),
          .putPrompt(
            PromptRecord(
              identifier: Samples.app(1_000 + number % 4), kind: .selection, key: key, asked: Samples.time(number),
              exceeded: number % 2 == 0 ? .bytesPerHour : nil)),
          .removePrompt(Samples.app(1_000 + (number + 1) % 4)),
        ]
      case 10:
        hasThird.toggle()
        if !hasThird {
          let former = FormerApp(
            identifier: Samples.app(3), claimed: "org.example.app'3\(number)", uid: UInt32(number % 3),
            isKnownToOthers: number % 2 == 0)
          return [.removeLibrary(Samples.name(3)), .removeApp(Samples.app(3)), .noteFormerApp(former)]
        }
        let third = Samples.key(3, 3, .addOnly)
        return [
          .putLibrary(Samples.library(3)), .putApp(Samples.appRecord(3)), .putGrant(Samples.grant(third, epoch: epoch)),
          .putAsset(Samples.name(3), Samples.asset(1, creator: third.app)),
          .putDetached(Samples.name(3), Samples.detached(number)),
        ]
      default:
        if number % 2 == 0 { return [.trimChanges(Samples.name(1), below: sequence > 60 ? sequence - 50 : 0)] }
        let views = (1...2).map { Samples.view(Samples.key(1, $0), number + $0) }
        return [.foldChanges(Samples.name(1), through: sequence > 40 ? sequence - 30 : 0, views: views)]
      }
    }

    private mutating func change(_ kind: ChangeRecord.Kind, _ asset: UInt32, grant: GrantKey? = nil) -> StoreChange {
      defer { sequence += 1 }
      let record = ChangeRecord(
        sequence: sequence, kind: kind, asset: AssetNumber(asset), identifier: Samples.row(asset).identifier,
        grant: grant)
      return .appendChanges(Samples.name(1), [record])
    }

    private mutating func newAssets(_ count: Int, _ creator: AppIdentifier?) -> [StoreChange] {
      var changes: [StoreChange] = []
      for _ in 0..<count {
        let asset = nextAsset
        nextAsset += 1
        assets.append(asset)
        changes += [.putAsset(Samples.name(1), Samples.asset(asset, creator: creator)), change(.appeared, asset)]
      }
      return changes
    }

    private mutating func attenuation(_ key: GrantKey) -> [StoreChange] {
      epoch += 1
      // A removed grant takes its selection along.
      let end: [StoreChange] =
        number % 3 == 0
        ? [.removeGrant(key)] : [.putGrant(Samples.grant(key, epoch: epoch, status: .denied)), .removeSelection(key)]
      return end + [
        .revokeToken(Samples.accessor(epoch - 1)), .forgetToken(Samples.accessor(epoch &- 3)),
        .decide(Samples.decision(key, number), change: Samples.change(number, in: key.library)),
        .putRule(Samples.rule(1, number)), .putSetting(name: SettingName.epochFloor, value: String(epoch)),
      ]
    }

    private mutating func widening(_ key: GrantKey, _ generator: inout SeededGenerator) -> [StoreChange] {
      let bytes = (0..<Int.random(in: 1...5_000, using: &generator)).map { _ in
        UInt8(truncatingIfNeeded: generator.next())
      }
      let token = TokenRecord(
        accessor: Samples.accessor(epoch), app: key.app, grant: number % 3 == 0 ? nil : key,
        minted: Samples.time(number), isRevoked: false,
        child: number % 4 == 1
          ? ChildToken(
            parent: Samples.accessor(epoch &- 1), name: "frame", uid: .max,
            end: number % 8 == 1 ? nil : Samples.time(number))
          : nil)
      let last: [UInt8] = number % 2 == 0 ? [] : [3]
      let chunks: [(index: UInt32, bytes: [UInt8])] = [
        (0, bytes), (UInt32(number % 3), Array(bytes.prefix(9))), (7, last),
      ]
      var changes: [StoreChange] = [
        .putGrant(Samples.grant(key, epoch: epoch)), .putToken(token), .decide(Samples.decision(key, number)),
        .decide(Samples.registration(key, number), change: Samples.change(number, in: key.library)),
        .putSelection(key, chunks: chunks),
      ]
      let grant = GrantKey(library: Samples.name(1), app: key.app, level: key.level)
      for asset in assets.prefix(20) { changes.append(change(.selected, asset, grant: grant)) }
      return changes
    }
  }
}
