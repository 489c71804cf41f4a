import Broker
import Catalogue
import PhotoModel
import StoreScript
import Testing

/// Requirements on every store.
struct StoreConformance {
  let store: any Store

  func check() async throws {
    for changes in Script.commits(60) { #expect(await store.commit(changes) == nil) }
    let model = ModelStore(after: Script.commits(60))
    try await checkAssets(model)
    try await checkDetached(model)
    try await checkMissing(model)
    try await checkDecisions(model)
    await checkRefusals(model)
    try await checkLedger()
    try await checkPages(model)
    try await checkNamesUsedAgain()
    await checkOrder()
  }

  private func checkAssets(_ model: ModelStore) async throws {
    let name = Samples.name(1)
    let expected = try await model.assets(of: name)
    #expect(expected.count > 50)
    let found = try await store.assets(of: name)
    #expect(found.map { "\($0)" } == expected.map { "\($0)" })
    let all = try #require(model.assets[name]).values.sorted { $0.row.number < $1.row.number }
    #expect(all.count > expected.count, "missing ones have places too")
    let locators = try await store.locators(of: name)
    #expect(locators.map(\.asset) == all.map(\.row.number))
    let digests = try await store.digests(of: expected.map(\.row.number) + [AssetNumber(4_000_000_000)], in: name)
    #expect(
      digests
        == Dictionary(
          uniqueKeysWithValues: expected.compactMap { a in a.resources[0].digest.map { (a.row.number, $0) } }))
    let captions = try await store.captions(of: expected.map(\.row.number) + [AssetNumber(4_000_000_000)], in: name)
    #expect(
      captions == Dictionary(uniqueKeysWithValues: expected.compactMap { a in a.caption.map { (a.row.number, $0) } }))
    #expect(locators.map(\.locator) == all.map { $0.resources[0].locator })
    let one = try #require(expected.last)
    #expect(
      "\(String(describing: try await store.asset(one.row.number.rawValue, of: name)))"
        == "\(String(describing: Optional(one)))")
    #expect(try await store.asset(4_000_000, of: name) == nil)
    #expect(try await store.asset(1, of: Samples.name(77)) == nil)
    #expect(try await store.assets(of: Samples.name(77)).isEmpty)
    let file = one.resources[0]
    var folder = StorageFolder(of: file.locator)
    var scopes = [
      AssetScope(), AssetScope(folders: [StorageFolder(path: "", isDeep: true)]), AssetScope(folders: [folder]),
    ]
    folder.isDeep = true
    scopes += [AssetScope(folders: [folder]), AssetScope(folders: [StorageFolder(path: "", isDeep: false)])]
    scopes.append(AssetScope(hints: Set(expected.prefix(7).flatMap(\.resources).compactMap(\.identityHint))))
    scopes.append(AssetScope(locators: Set(expected.prefix(5).flatMap(\.resources).map { ExactText($0.locator) })))
    scopes.append(AssetScope(livePhotoIdentifiers: Set(expected.compactMap(\.livePhotoIdentifier))))
    for scope in scopes {
      let some = try await store.assets(of: name, in: scope)
      #expect(some.map { "\($0)" } == expected.filter(scope.contains).map { "\($0)" })
      #expect(try await store.assets(of: Samples.name(77), in: scope).isEmpty)
    }
  }

  /// R95: missing assets are found by their files' identity hints and by their places.
  private func checkMissing(_ model: ModelStore) async throws {
    let name = Samples.name(1)
    let gone = try #require(model.missing[name]).keys
    let all = gone.sorted().compactMap { number in model.assets[name]?[number] }.filter {
      $0.row.flags.contains(.missing)
    }
    #expect(!all.isEmpty)
    for file in all.map({ $0.resources[0] }) {
      for part in ["hint", "place", "neither"] {
        var sought = file
        if part != "hint" { sought.identityHint = "another" }
        if part != "place" { sought.locator = "elsewhere/\(file.filename)" }
        let expected = try await model.missing(like: [sought], in: name)
        #expect(expected.isEmpty == (part == "neither"))
        #expect(try await store.missing(like: [sought], in: name).map { "\($0)" } == expected.map { "\($0)" })
      }
    }
    #expect(try await store.missing(like: all.map { $0.resources[0] }, in: Samples.name(2)).isEmpty)
    #expect(try await store.missing(like: all.map { $0.resources[0] }, in: Samples.name(77)).isEmpty)
  }

  /// R13: detached files are found by each identifying property, among many others.
  private func checkDetached(_ model: ModelStore) async throws {
    let name = Samples.name(1)
    let all = try #require(model.detached[name]).values.sorted { $0.number < $1.number }
    #expect(all.count > 3)
    #expect(try await store.detached(like: all.map { file($0) }, in: name) == all)
    for one in all {
      for keep in ["hint", "hash", "digest", "ends", "name", "place"] {
        let sought = file(one, keeping: keep)
        let expected = try await model.detached(like: [sought], in: name)
        #expect(try await store.detached(like: [sought], in: name) == expected)
        if ["name", "hint", "digest"].contains(keep) { #expect(expected.contains(one)) }
      }
    }
    #expect(try await store.detached(like: all.map { file($0) }, in: Samples.name(2)).isEmpty)
    #expect(try await store.detached(like: all.map { file($0) }, in: Samples.name(77)).isEmpty)
  }

  private func file(_ detached: DetachedFile, keeping part: String? = nil) -> ResourceRecord {
    func keeps(_ name: String) -> Bool { part == nil || part == name }
    return ResourceRecord(
      role: .original, locator: keeps("place") ? detached.place ?? "-" : "-",
      filename: keeps("name") ? detached.filename : "-",
      contentType: "", size: keeps("hint") || keeps("place") ? part == nil ? detached.size : -1 : detached.size,
      contentVersion: keeps("hash") ? detached.hash ?? "-" : "-", identityHint: keeps("hint") ? detached.hint : nil,
      digest: keeps("digest") ? detached.digest : nil, endsDigest: keeps("ends") ? detached.endsDigest : nil)
  }

  private func checkDecisions(_ model: ModelStore) async throws {
    let all = try await store.decisions()
    #expect(all.map(\.1) == model.decisions.reversed())
    #expect(all.map(\.0) == all.map(\.0).sorted(by: >))
    let two = try await store.decisions(of: Samples.name(1), limit: 2)
    #expect(two.map(\.1) == Array(model.decisions.reversed().filter { $0.library == Samples.name(1) }.prefix(2)))
  }

  /// R139: pages of any size, for any query, add up to the whole.
  private func checkPages(_ model: ModelStore) async throws {
    let name = Samples.name(2)
    let queries = [
      LedgerQuery(limit: 1), LedgerQuery(apps: [Samples.app(2)], limit: 1),
      LedgerQuery(asset: Samples.entry(7).asset, limit: 1),
      LedgerQuery(since: Samples.time(200), limit: 1), LedgerQuery(apps: [Samples.app(9), Samples.app(1)], limit: 1),
    ]
    for query in queries {
      var whole = query
      whole.limit = .max
      let expected = try await store.ledgerPage(of: name, whole)
      #expect(expected.next == nil && !expected.wasTrimmed)
      for limit in [1, 3, 77, 1_000] {
        var (found, next) = ([LedgerRecord](), query)
        next.limit = limit
        repeat {
          let page = try await store.ledgerPage(of: name, next)
          #expect(page.records.count == limit || page.next == nil)
          found += page.records
          next.before = page.next
        } while next.before != nil
        #expect(found == expected.records)
      }
    }
    for query in [
      DecisionQuery(limit: 1), DecisionQuery(libraries: [Samples.name(1)], limit: 2),
      DecisionQuery(apps: [Samples.app(2)], limit: 3),
      DecisionQuery(apps: [Samples.app(1), Samples.app(3)], limit: 3),
      DecisionQuery(apps: [], limit: 3),
      DecisionQuery(libraries: [], limit: 3), DecisionQuery(since: Samples.time(40), limit: 4),
    ] {
      var (found, expected, next) = ([DecisionRecord](), [DecisionRecord](), query)
      repeat {
        let page = try await store.decisionPage(next)
        for entry in page.entries {
          let kept = try await store.decision(entry.number)
          #expect(
            kept?.record == entry.record && kept?.change?.object == entry.change?.object
              && entry.change?.assets ?? [] == [])
          if let change = kept?.change {
            let number = UInt64(entry.record.after.split(separator: " ")[1]) ?? 0
            #expect(change == Samples.change(number, in: try #require(entry.record.library)))
          }
        }
        found += page.entries.map(\.record)
        next.before = page.next
      } while next.before != nil
      next.before = nil
      repeat {
        let page = try await model.decisionPage(next)
        expected += page.entries.map(\.record)
        next.before = page.next
      } while next.before != nil
      #expect(found == expected)
    }
    #expect(try await store.decision(1 << 40) == nil)
    #expect(try await store.decision(.max) == nil)
  }

  /// R128: a new library of a used name inherits nothing from the former owner.
  private func checkNamesUsedAgain() async throws {
    let (name, key) = (Samples.name(8), Samples.key(8, 1))
    _ = await store.commit([.putLibrary(Samples.library(8)), .putRule(Samples.rule(8, 1))])
    _ = await store.commit([.decide(Samples.decision(key, 5), change: Samples.change(5))])
    let number = try #require(try await store.decisionPage(DecisionQuery(libraries: [name], limit: 9)).entries.first)
      .number
    #expect(try await store.decision(number)?.change == Samples.change(5))
    _ = await store.commit([.decide(Samples.decision(key, 6)), .removeLibrary(name)])
    _ = await store.commit([.putLibrary(Samples.library(8))])
    #expect(try await store.decisionPage(DecisionQuery(libraries: [name], limit: 9)).entries.isEmpty)
    #expect(try await store.decision(number) == nil)
    #expect(try await store.decisionPage(DecisionQuery(limit: 2)).entries.map(\.change) == [nil, nil])
    _ = await store.commit([.removeLibrary(name)])
  }

  /// All or none: the first change of a refused commit leaves no trace.
  private func checkRefusals(_ model: ModelStore) async {
    let stray = Samples.decision(Samples.key(1, 1), 999)
    for impossible: StoreChange in [
      .putGrant(Samples.grant(Samples.key(77, 1), epoch: 1)), .putGrant(Samples.grant(Samples.key(1, 77), epoch: 1)),
      .putSelection(Samples.key(77, 1), chunks: [(0, [1])]), .putAsset(Samples.name(77), Samples.asset(1)),
      .appendChanges(Samples.name(77), [ChangeRecord(sequence: 1, kind: .album)]),
    ] {
      let failure = await store.commit([.decide(stray), impossible])
      #expect(failure?.code == .refused)
    }
    #expect(try! await store.decisions().count == model.decisions.count)
  }

  private func checkLedger() async throws {
    let name = Samples.name(2)
    for number in 0..<250 {
      #expect(store.record(Samples.entry(UInt64(number), app: UInt64(1 + number % 2)), in: name))
    }
    for number in 0..<10 { #expect(store.record(Samples.entry(UInt64(number), rendition: "metadata"), in: name)) }
    let all = try await store.ledger(of: name)
    #expect(all.count == 260)
    #expect(all.first == Samples.entry(9, rendition: "metadata"))
    #expect(all.last == Samples.entry(0, app: 1))
    let some = try await store.ledger(of: name, app: Samples.app(2), limit: 3)
    #expect(some == [249, 247, 245].map { Samples.entry($0, app: 2) })
    #expect(try await store.ledger(of: Samples.name(1)).isEmpty)
    #expect(try await store.ledger(of: Samples.name(77)).isEmpty)
    // 125 entries over 50 assets; each entry has its number plus one as bytes.
    #expect(
      await store.delivered(name, Samples.app(1))
        == Delivered(assets: 50, bytes: (0..<125).reduce(0) { $0 + Int64(2 * $1 + 1) }))
    #expect(
      await store.delivered(name, Samples.app(2))
        == Delivered(assets: 50, bytes: (0..<125).reduce(0) { $0 + Int64(2 * $1 + 2) }))
    #expect(await store.delivered(name, Samples.app(3)) == Delivered())
    #expect(
      await store.delivered(name, nil) == Delivered(assets: 100, bytes: (0..<250).reduce(0) { $0 + Int64($1 + 1) }))
  }

  private func checkOrder() async {
    let seen = Recorder()
    for number in 0..<50 {
      store.commit(
        number % 10 == 3
          ? [.putAsset(Samples.name(77), Samples.asset(1))] : [.putSetting(name: "n", value: "\(number)")]
      ) {
        seen.note(number, $0)
      }
    }
    _ = await store.commit([.putSetting(name: "n", value: "end")])
    #expect(seen.numbers == Array(0..<50))
    #expect(seen.failed == [3, 13, 23, 33, 43])
  }
}
