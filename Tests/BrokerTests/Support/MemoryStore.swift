import Broker
import Catalogue
import PhotoModel
import StoreScript

/// A store in memory whose commits can be deferred and refused.
final class MemoryStore: Store {
  private(set) var contents = StoreContents()
  private(set) var log: [DecisionRecord] = []
  private var changes: [DecisionChange?] = []
  private(set) var entries: [(library: LibraryName, record: LedgerRecord)] = []
  private(set) var captions: [LibraryName: [AssetNumber: String]] = [:]
  private(set) var assets: [LibraryName: [AssetNumber: AssetRecord]] = [:]
  private(set) var detached: [LibraryName: [Int64: DetachedFile]] = [:]
  private(set) var commits = 0
  /// Number of changes in all commits.
  private(set) var changesGiven = 0
  /// Whether reads of captions and of files that left assets fail.
  var failsToRead = false
  /// Whether commits wait for `complete`.
  var isDeferred = false
  /// Number of next commits to refuse.
  var refusals = 0
  private var waiting: [([StoreChange], (StoreFailure?) -> Void)] = []

  var pending: Int { waiting.count }

  func commit(_ changes: [StoreChange], completion: @escaping (StoreFailure?) -> Void) {
    commits += 1
    changesGiven += changes.count
    waiting.append((changes, completion))
    if !isDeferred { completeAll() }
  }

  /// Completes or refuses the oldest commit.
  func complete() {
    guard !waiting.isEmpty else { return }
    let (changes, completion) = waiting.removeFirst()
    if refusals > 0 {
      refusals -= 1
      return completion(StoreFailure(.full, "The disk is full."))
    }
    for change in changes { apply(change) }
    completion(nil)
  }

  var hasWaiting: Bool { !waiting.isEmpty }

  func completeAll() {
    while !waiting.isEmpty { complete() }
  }

  /// Drops commits that were not completed.
  func crash() { waiting = [] }

  func put(_ setting: String, _ value: String) { contents.settings[setting] = value }
  /// Drops the stored views of grants.
  func loseViews() { for index in contents.libraries.indices { contents.libraries[index].views = [] } }
  func rewind(to earlier: StoreContents) { contents = earlier }

  // MARK: Changes

  private func apply(_ change: StoreChange) {
    switch change {
    case .putLibrary(let record):
      if let index = contents.libraries.firstIndex(where: { $0.record.name == record.name }) {
        contents.libraries[index].record = record
      } else {
        contents.libraries.append(LibraryContents(record: record))
      }
    case .removeLibrary(let name):
      contents.libraries.removeAll { $0.record.name == name }
      detached[name] = nil
      contents.grants.removeAll { $0.key.library == name }
      contents.selections = contents.selections.filter { $0.key.library != name }
      contents.tokens.removeAll { $0.grant?.library == name }
      contents.rules.removeAll { $0.library == name }
    case .putApp(let record):
      contents.apps.removeAll { $0.identifier == record.identifier }
      contents.apps.append(record)
    case .removeApp(let app):
      contents.apps.removeAll { $0.identifier == app }
      contents.tokens.removeAll { $0.app == app }
    case .noteFormerApp(let app):
      contents.formerApps.removeAll { $0.identifier == app.identifier }
      contents.formerApps.append(app)
    case .putGrant(let record):
      contents.grants.removeAll { $0.key == record.key }
      contents.grants.append(record)
    case .removeGrant(let key):
      contents.grants.removeAll { $0.key == key }
      contents.selections[key] = nil
      edit(key.library) { $0.views.removeAll { $0.grant == key } }
    case .putSelection(let key, let chunks):
      for chunk in chunks {
        contents.selections[key, default: []].removeAll { $0.index == chunk.index }
        if !chunk.bytes.isEmpty { contents.selections[key, default: []].append((chunk.index, chunk.bytes)) }
      }
    case .removeSelection(let key): contents.selections[key] = nil
    case .putToken(let record):
      contents.tokens.removeAll { $0.accessor == record.accessor }
      contents.tokens.append(record)
    case .revokeToken(let accessor):
      for index in contents.tokens.indices where contents.tokens[index].accessor == accessor {
        contents.tokens[index].isRevoked = true
      }
    case .takeBudget(_, let record):
      contents.budgets.removeAll { $0.accessor == record.accessor && $0.key == record.key }
      contents.budgets.append(record)
    case .forgetToken(let accessor): contents.tokens.removeAll { $0.accessor == accessor && $0.isRevoked }
    case .putPrompt(let record): contents.prompts.append(record)
    case .removePrompt(let identifier): contents.prompts.removeAll { $0.identifier == identifier }
    case .decide(let record, let change, let number):
      log.append(record)
      number?.note(UInt64(log.count - 1))
      changes.append(change)
    case .putRule(let rule):
      contents.rules.removeAll { $0.library == rule.library && $0.name == rule.name }
      contents.rules.append(rule)
    case .removeRule(let library, let name): contents.rules.removeAll { $0.library == library && $0.name == name }
    case .notePick(let name, let app, let count, let time):
      edit(name) { library in
        let before = library.pickerUses[app]
        library.pickerUses[app] = PickerUses(
          times: (before?.times ?? 0) + 1, assets: (before?.assets ?? 0) + count, last: time)
      }
    case .putSetting(let name, let value): contents.settings[name] = value
    case .putAsset(let name, let record):
      captions[name, default: [:]][record.row.number] = record.caption
      assets[name, default: [:]][record.row.number] = record
      edit(name) { library in
        library.catalogue.put(record.row)
        library.creators[record.row.number] = record.creator
        library.nextNumber = max(library.nextNumber, record.row.number.rawValue + 1)
      }
    case .updateRow(let name, let row, let edited):
      assets[name]?[row.number]?.row = row
      assets[name]?[row.number]?.edited.formUnion(edited)
      edit(name) { library in
        library.catalogue.put(row)
      }
    case .noteDeletion(let name, let number, let deletion): edit(name) { $0.deletions[number] = deletion }
    case .awaitTrash(let name, let number, let isWaiting):
      edit(name) { library in
        if isWaiting { library.awaitingTrash.insert(number) } else { library.awaitingTrash.remove(number) }
      }
    case .putDetached(let name, let file):
      detached[name, default: [:]][file.number] = file
      edit(name) { $0.nextDetached = (detached[name]?.keys.max() ?? -1) + 1 }
    case .forgetDetached(let name, let time):
      for file in (detached[name] ?? [:]).values where !file.isMissing && file.placeEnds.map({ $0 < time }) ?? false {
        detached[name]?[file.number] = nil
      }
    case .removeAsset(let name, let number):
      assets[name]?[number] = nil
      edit(name) { library in
        library.catalogue.remove(number)
        library.missing.removeAll { $0.asset == number }
      }
    case .noteMissing(let name, let number, let time):
      edit(name) { library in
        library.missing.removeAll { $0.asset == number }
        if let time { library.missing.append((number, time)) }
      }
    case .appendChanges(let name, let records):
      edit(name) { library in
        library.changes += records
        library.nextSequence = records.reduce(library.nextSequence) { max($0, $1.sequence + 1) }
      }
    case .foldChanges(let name, let last, let views):
      edit(name) { library in
        library.changes.removeAll { $0.sequence <= last }
        library.changesForgotten = max(library.changesForgotten, last)
        library.views.removeAll { known in views.contains { $0.grant == known.grant } }
        library.views += views
      }
    case .trimChanges(let name, let below):
      edit(name) { library in
        library.changes.removeAll { $0.sequence < below }
        library.changesForgotten = max(library.changesForgotten, below - 1)
        library.views = []
      }
    case .putAlbum(let name, let album):
      edit(name) { library in
        library.albums.removeAll { $0.identifier == album.identifier }
        library.albums.append(album)
      }
    case .removeAlbum(let name, let album): edit(name) { $0.albums.removeAll { $0.identifier == album } }
    case .setCaption(let name, let number, let caption):
      captions[name, default: [:]][number] = caption
      assets[name]?[number]?.caption = caption
    case .noteDigest, .keepCatalogue, .reread: break
    }
  }

  private func edit(_ name: LibraryName, _ body: (inout LibraryContents) -> Void) {
    guard let index = contents.libraries.firstIndex(where: { $0.record.name == name }) else { return }
    body(&contents.libraries[index])
  }

  // MARK: The rest of the protocol

  func record(_ entry: LedgerRecord, in library: LibraryName) -> Bool {
    entries.append((library, entry))
    return true
  }

  func verifyLedger(
    of library: LibraryName, completion: @escaping (Result<LedgerVerdict, StoreFailure>) -> Void
  ) {
    completion(.success(.intact(entries: entries.count { $0.library == library })))
  }

  func ledger(
    of library: LibraryName, _ query: LedgerQuery,
    completion: @escaping (Result<LedgerPage, StoreFailure>) -> Void
  ) {
    let wanted = entries.filter { $0.library == library && query.takes($0.record) }
    completion(.success(LedgerPage(records: wanted.reversed().prefix(query.limit).map(\.record))))
  }

  func delivered(library: LibraryName, app: AppIdentifier?, completion: @escaping (Delivered) -> Void) {
    let given = entries.filter { $0.library == library && (app == nil || $0.record.app == app) && $0.record.bytes > 0 }
      .map(\.record)
    let assets = Dictionary(grouping: given, by: \.app).values.reduce(0) { $0 + Set($1.map(\.asset)).count }
    completion(Delivered(assets: assets, bytes: given.reduce(0) { $0 + $1.bytes }))
  }

  func decisions(_ query: DecisionQuery, completion: @escaping (Result<DecisionPage, StoreFailure>) -> Void) {
    let all = log.enumerated().filter { wanted(query, $0.element) }.reversed().prefix(query.limit)
    completion(
      .success(
        DecisionPage(
          entries: all.map {
            KeptDecision(
              number: UInt64($0.offset), record: $0.element,
              change: changes[$0.offset].map { DecisionChange($0.object) })
          })))
  }

  private func wanted(_ query: DecisionQuery, _ record: DecisionRecord) -> Bool {
    guard query.asset.map({ record.after == DecisionRecord.words(of: $0) }) ?? true else { return false }
    guard let libraries = query.libraries else { return true }
    return record.library.map(libraries.contains) ?? false
  }

  func decision(_ number: UInt64, completion: @escaping (Result<KeptDecision?, StoreFailure>) -> Void) {
    guard log.indices.contains(Int(number)) else { return completion(.success(nil)) }
    let all = log.indices.map { KeptDecision(number: UInt64($0), record: log[$0], change: changes[$0]) }
    var kept = all[Int(number)]
    var search = OverridingSearch(of: kept)
    for later in all.dropFirst(Int(number) + 1) { search.add(later) }
    kept.overriddenBy = search.newest
    completion(.success(kept))
  }

  func asset(
    _ number: AssetNumber, of library: LibraryName,
    completion: @escaping (Result<AssetRecord?, StoreFailure>) -> Void
  ) {
    let contents = contents.libraries.first { $0.record.name == library }
    let record = contents?.catalogue.row(of: number).map { row in
      AssetRecord(
        row: row, caption: captions[library]?[number], camera: nil, livePhotoIdentifier: nil, burstIdentifier: nil,
        creator: contents?.creators[number], resources: [])
    }
    completion(.success(record))
  }

  func locators(
    of library: LibraryName,
    completion: @escaping (Result<[(asset: AssetNumber, locator: String)], StoreFailure>) -> Void
  ) {
    let all = (assets[library] ?? [:]).values.sorted { $0.row.number < $1.row.number }
    completion(.success(all.map { ($0.row.number, $0.resources.first?.locator ?? "") }))
  }

  func assets(of library: LibraryName, completion: @escaping (Result<[AssetRecord], StoreFailure>) -> Void) {
    completion(.success((assets[library] ?? [:]).values.sorted { $0.row.number < $1.row.number }))
  }

  func detachedFiles(
    of library: LibraryName, like files: [ResourceRecord],
    completion: @escaping (Result<[DetachedFile], StoreFailure>) -> Void
  ) {
    guard !failsToRead else { return completion(.failure(StoreFailure(.input, "The disk failed."))) }
    let all = (detached[library] ?? [:]).values.sorted { $0.number < $1.number }
    completion(.success(all.filter { file in files.contains(where: file.resembles) }))
  }

  func missingAssets(
    of library: LibraryName, like files: [ResourceRecord],
    completion: @escaping (Result<[MissingAsset], StoreFailure>) -> Void
  ) {
    guard !failsToRead else { return completion(.failure(StoreFailure(.input, "The disk failed."))) }
    let all = contents.libraries.first { $0.record.name == library }?.missing ?? []
    let found = all.compactMap { asset, since in
      assets[library]?[asset].map { MissingAsset(record: $0, since: since) }
    }
    completion(.success(found.filter { asset in files.contains(where: asset.mayHave) }))
  }

  func captions(
    of assets: [AssetNumber], in library: LibraryName,
    completion: @escaping (Result<[AssetNumber: String], StoreFailure>) -> Void
  ) {
    guard !failsToRead else { return completion(.failure(StoreFailure(.input, "The disk failed."))) }
    completion(.success((captions[library] ?? [:]).filter { assets.contains($0.key) }))
  }

  func digests(
    of assets: [AssetNumber], in library: LibraryName,
    completion: @escaping (Result<[AssetNumber: [UInt8]], StoreFailure>) -> Void
  ) { completion(.success([:])) }
}
