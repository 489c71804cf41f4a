package import Broker
package import Catalogue
package import PhotoModel

/// A store in memory, as plain as possible: the oracle for the real one.
package final class ModelStore: Store {
  package private(set) var contents = StoreContents()
  package private(set) var assets: [LibraryName: [AssetNumber: AssetRecord]] = [:]
  package private(set) var decisions: [DecisionRecord] = []
  package private(set) var detached: [LibraryName: [Int64: DetachedFile]] = [:]
  package private(set) var missing: [LibraryName: [AssetNumber: Timestamp]] = [:]
  private var entries: [LibraryName: [LedgerRecord]] = [:]
  /// A decision's undo information, and whether its library still exists.
  private struct Kept {
    var change: DecisionChange?
    var isOfPresentLibrary: Bool
  }
  private var kept: [Kept] = []

  package init() {}

  package func commit(_ changes: [StoreChange], completion: @escaping (StoreFailure?) -> Void) {
    let before = (contents, assets, decisions, entries, kept, detached, missing)
    for change in changes {
      guard isPossible(change) else {
        (contents, assets, decisions, entries, kept, detached, missing) = before
        return completion(StoreFailure(.refused, "contradicts what is there"))
      }
      apply(change)
    }
    completion(nil)
  }

  package func catalogue(of library: LibraryName) -> Catalogue {
    do { return try Catalogue((assets[library] ?? [:]).values.map(\.row)) } catch { preconditionFailure("\(error)") }
  }

  package func apply(_ changes: [StoreChange]) {
    for change in changes { apply(change) }
  }

  /// Objects of a library or an app need it to exist.
  private func isPossible(_ change: StoreChange) -> Bool {
    func isThere(_ key: GrantKey) -> Bool {
      isThere(key.library) && contents.apps.contains { $0.identifier == key.app }
    }
    func isThere(_ name: LibraryName) -> Bool { contents.libraries.contains { $0.record.name == name } }
    return switch change {
    case .putGrant(let record): isThere(record.key)
    case .putSelection(let key, _): isThere(key)
    case .putRule(let rule): isThere(rule.library)
    case .removeRule(let name, _): isThere(name)
    case .putAsset(let name, _), .putAlbum(let name, _), .appendChanges(let name, _), .putDetached(let name, _):
      isThere(name)
    default: true
    }
  }

  private func apply(_ change: StoreChange) {
    switch change {
    case .putLibrary(let record):
      if let index = index(of: record.name) {
        contents.libraries[index].record = record
      } else {
        contents.libraries.append(LibraryContents(record: record))
      }
    case .removeLibrary(let name): remove(name)
    case .putApp(let record):
      contents.apps.removeAll { $0.identifier == record.identifier }
      contents.apps.append(record)
    case .removeApp(let app):
      contents.apps.removeAll { $0.identifier == app }
      contents.grants.removeAll { $0.key.app == app }
      contents.selections = contents.selections.filter { $0.key.app != app }
      contents.tokens.removeAll { $0.app == app }
      contents.prompts.removeAll { $0.key.app == app }
      for index in contents.libraries.indices {
        contents.libraries[index].pickerUses[app] = nil
        contents.libraries[index].views.removeAll { $0.grant.app == app }
      }
    case .noteFormerApp(let app):
      contents.formerApps.removeAll { $0.identifier == app.identifier }
      contents.formerApps.append(app)
    case .putGrant(let record):
      contents.grants.removeAll { $0.key == record.key }
      contents.grants.append(record)
    case .removeGrant(let key):
      contents.grants.removeAll { $0.key == key }
      contents.selections[key] = nil
      with(key.library) { $0.views.removeAll { $0.grant == key } }
    case .putSelection(let key, let chunks):
      var kept = contents.selections[key] ?? []
      for chunk in chunks {
        kept.removeAll { $0.index == chunk.index }
        if !chunk.bytes.isEmpty { kept.append(chunk) }
      }
      contents.selections[key] = kept.isEmpty ? nil : kept.sorted { $0.index < $1.index }
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
    case .putPrompt(let record):
      contents.prompts.removeAll { $0.identifier == record.identifier }
      contents.prompts.append(record)
    case .removePrompt(let identifier): contents.prompts.removeAll { $0.identifier == identifier }
    case .decide(let record, let change, let number):
      let isOfPresentLibrary = record.library.map { index(of: $0) != nil } ?? true
      var record = record
      if !isOfPresentLibrary { record.words = nil }
      decisions.append(record)
      number?.note(UInt64(decisions.count))
      kept.append(Kept(change: change, isOfPresentLibrary: isOfPresentLibrary))
    case .putRule(let rule):
      contents.rules.removeAll { $0.library == rule.library && $0.name == rule.name }
      contents.rules.append(rule)
    case .removeRule(let library, let name): contents.rules.removeAll { $0.library == library && $0.name == name }
    case .notePick(let name, let app, let count, let time):
      with(name) { library in
        let before = library.pickerUses[app]
        library.pickerUses[app] = PickerUses(
          times: (before?.times ?? 0) + 1, assets: (before?.assets ?? 0) + count, last: max(before?.last ?? time, time))
      }
    case .putSetting(let name, let value): contents.settings[name] = value
    case .noteDeletion(let name, let number, let deletion): with(name) { $0.deletions[number] = deletion }
    case .awaitTrash(let name, let number, let isWaiting):
      with(name) { library in
        if isWaiting { library.awaitingTrash.insert(number) } else { library.awaitingTrash.remove(number) }
      }
    case .putAsset, .updateRow, .setCaption, .noteDigest, .removeAsset, .putAlbum, .removeAlbum, .appendChanges,
      .foldChanges, .trimChanges, .keepCatalogue, .putDetached, .forgetDetached, .noteMissing, .reread:
      applyContent(change)
    }
  }

  private func applyContent(_ change: StoreChange) {
    switch change {
    case .putAsset(let name, let record):
      assets[name, default: [:]][record.row.number] = record
      with(name) { $0.nextNumber = max($0.nextNumber, record.row.number.rawValue + 1) }
    case .noteDigest(let name, let number, let contentVersion, let digest):
      guard assets[name]?[number]?.resources.first?.contentVersion == contentVersion else { break }
      assets[name]?[number]?.resources[0].digest = digest
    case .updateRow(let name, let row, let edited):
      assets[name]?[row.number]?.row = row
      assets[name]?[row.number]?.edited.formUnion(edited)
    case .setCaption(let name, let number, let caption): assets[name]?[number]?.caption = caption
    case .removeAsset(let name, let number):
      assets[name]?[number] = nil
      note(missing: number, of: name, since: nil)
      with(name) { library in
        library.awaitingTrash.remove(number)
        library.deletions[number] = nil
      }
    case .noteMissing(let name, let number, let time):
      note(missing: number, of: name, since: assets[name]?[number] == nil ? nil : time)
    case .putDetached(let name, let file): edit(name) { $0[file.number] = file }
    case .forgetDetached(let name, let time):
      let ended = (detached[name] ?? [:]).values.filter { !$0.isMissing && $0.placeEnds.map { $0 < time } ?? false }
      let order = ended.sorted {
        ($0.placeEnds?.microseconds ?? 0, $0.number) < ($1.placeEnds?.microseconds ?? 0, $1.number)
      }
      edit(name) { files in for file in order.prefix(DetachedFile.forgottenAtOnce) { files[file.number] = nil } }
    case .putAlbum(let name, let record):
      with(name) { library in
        library.albums.removeAll { $0.identifier == record.identifier }
        library.albums.append(record)
      }
    case .removeAlbum(let name, let identifier): with(name) { $0.albums.removeAll { $0.identifier == identifier } }
    case .appendChanges(let name, let records):
      with(name) { library in
        library.changes += records
        library.nextSequence = records.reduce(library.nextSequence) { max($0, $1.sequence + 1) }
      }
    case .foldChanges(let name, let last, let views):
      with(name) { library in
        library.changes.removeAll { $0.sequence <= last }
        library.changesForgotten = max(library.changesForgotten, last)
        library.views.removeAll { known in views.contains { $0.grant == known.grant } }
        library.views += views
      }
    case .trimChanges(let name, let first):
      with(name) { library in
        library.changes.removeAll { $0.sequence < first }
        library.changesForgotten = max(library.changesForgotten, first == 0 ? 0 : first - 1)
        library.views = []
      }
    default: break
    }
  }

  private func remove(_ name: LibraryName) {
    for setting in SettingName.all(of: name) { contents.settings[setting] = nil }
    contents.libraries.removeAll { $0.record.name == name }
    contents.grants.removeAll { $0.key.library == name }
    contents.selections = contents.selections.filter { $0.key.library != name }
    contents.tokens.removeAll { $0.grant?.library == name }
    contents.prompts.removeAll { $0.key.library == name }
    assets[name] = nil
    detached[name] = nil
    missing[name] = nil
    entries[name] = nil
    contents.rules.removeAll { $0.library == name }
    for index in decisions.indices where decisions[index].library == name {
      kept[index] = Kept(change: nil, isOfPresentLibrary: false)
    }
  }

  private func index(of name: LibraryName) -> Int? { contents.libraries.firstIndex { $0.record.name == name } }

  private func with(_ name: LibraryName, _ body: (inout LibraryContents) -> Void) {
    if let index = index(of: name) { body(&contents.libraries[index]) }
  }

  private func note(missing asset: AssetNumber, of name: LibraryName, since time: Timestamp?) {
    missing[name, default: [:]][asset] = time
    let all = (missing[name] ?? [:]).sorted { ($0.value.microseconds, $0.key) < ($1.value.microseconds, $1.key) }
    with(name) { $0.missing = all.map { ($0.key, $0.value) } }
  }

  /// A library's assets in the order of their numbers, either missing ones or all others.
  private func assets(of library: LibraryName, missing isMissing: Bool) -> [AssetRecord] {
    (assets[library] ?? [:]).values.filter { $0.row.flags.contains(.missing) == isMissing }
      .sorted { $0.row.number < $1.row.number }
  }

  private func edit(_ name: LibraryName, _ body: (inout [Int64: DetachedFile]) -> Void) {
    body(&detached[name, default: [:]])
    with(name) { $0.nextDetached = (detached[name]?.keys.max() ?? -1) + 1 }
  }

  // MARK: Reading

  package func record(_ entry: LedgerRecord, in library: LibraryName) -> Bool {
    if index(of: library) != nil { entries[library, default: []].append(entry) }
    return true
  }

  package func verifyLedger(
    of library: LibraryName, completion: @escaping (Result<LedgerVerdict, StoreFailure>) -> Void
  ) {
    completion(.success(.intact(entries: entries[library]?.count ?? 0)))
  }

  package func ledger(
    of library: LibraryName, _ query: LedgerQuery,
    completion: @escaping (Result<LedgerPage, StoreFailure>) -> Void
  ) {
    let numbered = (entries[library] ?? []).enumerated().map { (number: Int64($0.offset) + 1, record: $0.element) }
    let found = numbered.reversed().filter { query.takes($0.record) && $0.number < query.before ?? .max }
    let page = found.prefix(query.limit)
    completion(
      .success(LedgerPage(records: page.map(\.record), next: page.count < found.count ? page.last?.number : nil)))
  }

  package func delivered(library: LibraryName, app: AppIdentifier?, completion: @escaping (Delivered) -> Void) {
    let found = (entries[library] ?? []).filter { (app == nil || $0.app == app) && $0.rendition != "metadata" }
    let assets = Dictionary(grouping: found, by: \.app).values.reduce(0) { $0 + Set($1.map(\.asset)).count }
    completion(Delivered(assets: assets, bytes: found.reduce(0) { $0 + $1.bytes }))
  }

  package func decisions(
    _ query: DecisionQuery, completion: @escaping (Result<DecisionPage, StoreFailure>) -> Void
  ) {
    let all = decisions.indices.map { index in
      KeptDecision(
        number: UInt64(index) + 1, record: decisions[index],
        change: kept[index].change.map { DecisionChange($0.object) })
    }
    let found = all.reversed().filter { entry in
      let isWanted =
        query.libraries.map { wanted in
          (entry.record.library.map(wanted.contains) ?? false) && kept[Int(entry.number) - 1].isOfPresentLibrary
        } ?? true
      return isWanted && (query.apps.map { apps in entry.record.app.map(apps.contains) ?? false } ?? true)
        && entry.number < query.before ?? .max
        && query.since.map { entry.record.time >= $0 } ?? true
        && query.asset.map { entry.record.after == DecisionRecord.words(of: $0) } ?? true
    }
    let page = Array(found.prefix(query.limit))
    completion(.success(DecisionPage(entries: page, next: page.count < found.count ? page.last?.number : nil)))
  }

  package func decision(_ number: UInt64, completion: @escaping (Result<KeptDecision?, StoreFailure>) -> Void) {
    guard number > 0, number <= UInt64(decisions.count), kept[Int(number) - 1].isOfPresentLibrary else {
      return completion(.success(nil))
    }
    let all = decisions.indices.map {
      KeptDecision(number: UInt64($0) + 1, record: decisions[$0], change: kept[$0].change)
    }
    var found = all[Int(number) - 1]
    var search = OverridingSearch(of: found)
    for later in all.dropFirst(Int(number)) where kept[Int(later.number) - 1].isOfPresentLibrary { search.add(later) }
    found.overriddenBy = search.newest
    completion(.success(found))
  }

  package func asset(
    _ number: AssetNumber, of library: LibraryName,
    completion: @escaping (Result<AssetRecord?, StoreFailure>) -> Void
  ) {
    completion(.success(assets(of: library, missing: false).first { $0.row.number == number }))
  }

  package func locators(
    of library: LibraryName,
    completion: @escaping (Result<[(asset: AssetNumber, locator: String)], StoreFailure>) -> Void
  ) {
    let all = (assets[library] ?? [:]).values.sorted { $0.row.number < $1.row.number }
    completion(.success(all.compactMap { asset in asset.resources.first.map { (asset.row.number, $0.locator) } }))
  }

  package func assets(
    of library: LibraryName, completion: @escaping (Result<[AssetRecord], StoreFailure>) -> Void
  ) {
    completion(.success(assets(of: library, missing: false)))
  }

  package func detachedFiles(
    of library: LibraryName, like files: [ResourceRecord],
    completion: @escaping (Result<[DetachedFile], StoreFailure>) -> Void
  ) {
    let all = (detached[library] ?? [:]).values.sorted { $0.number < $1.number }
    completion(.success(all.filter { file in files.contains(where: file.resembles) }))
  }

  package func missingAssets(
    of library: LibraryName, like files: [ResourceRecord],
    completion: @escaping (Result<[MissingAsset], StoreFailure>) -> Void
  ) {
    let all = assets(of: library, missing: true).compactMap { record in
      missing[library]?[record.row.number].map { MissingAsset(record: record, since: $0) }
    }
    completion(.success(all.filter { asset in files.contains(where: asset.mayHave) }))
  }

  package func digests(
    of assets: [AssetNumber], in library: LibraryName,
    completion: @escaping (Result<[AssetNumber: [UInt8]], StoreFailure>) -> Void
  ) {
    let known = (self.assets[library] ?? [:]).filter { assets.contains($0.key) }
    completion(.success(known.compactMapValues { $0.resources.first?.digest }))
  }
}
