import Limits
import Catalogue
import PhotoModel

extension Broker {
  /// Restores grants, rules and prompts. Returns the changes to store.
  func restore(_ contents: StoreContents) throws(BrokerError) -> [StoreChange] {
    var changes: [StoreChange] = []
    let views = Dictionary(
      contents.libraries.flatMap(\.views).map { ($0.grant, $0) }, uniquingKeysWith: { _, last in last })
    for record in contents.grants {
      guard let library = libraries[record.key.library], apps[record.key.app] != nil else { continue }
      let grant = GrantState(record: record, selection: try selection(of: record.key, contents, library))
      grant.isNoted = true
      grant.isRunOver = record.isOnce
      changes += restoreView(of: grant, views[record.key], in: library)
      grant.setDeadline(environment, now: clock.read())
      grants.insert(grant)
      changes += library.live.restore(grant)
    }
    for library in contents.libraries {
      guard let state = libraries[library.record.name] else { continue }
      allowances.restore(library.deliveries, in: state)
    }
    for rule in contents.rules where libraries[rule.library] != nil { rules.put(rule) }
    for record in contents.prompts {
      guard let library = libraries[record.key.library], let app = apps[record.key.app] else { continue }
      let token = record.kind.hasToken ? grants[record.key].map { AskingToken(kept: $0) } : nil
      prompts.insert(Prompt(record: record, library: library, app: app.record, token: token))
    }
    return changes
  }

  /// Restores a grant's position in the changes that the log has dropped. Without a stored position
  /// the view begins anew.
  private func restoreView(of grant: GrantState, _ view: ViewRecord?, in library: LibraryState) -> [StoreChange] {
    if let view, view.generation == grant.record.viewGeneration {
      grant.feeds = GrantFeeds(view, scanned: library.changes.log.forgotten)
      return []
    }
    guard grant.record.key.level == .readWrite, grant.record.status.grantsAccess,
      grant.record.viewSince < library.changes.log.forgotten
    else { return [] }
    return restartView(of: grant, in: library)
  }

  private func selection(
    of key: GrantKey, _ contents: StoreContents, _ library: LibraryState
  ) throws(BrokerError) -> Selection {
    do { return try library.catalogue.selection(decoding: contents.chunks(of: key)) } catch {
      throw .selectionDamaged()
    }
  }

  /// Pauses every grant after a restore of a database that is older than the last revocation, and
  /// gives it a new token (R144). The broker cannot know which were revoked since. For the same
  /// reason every app gets a new own token.
  /// - Parameter keepsTokens: whether apps keep their own tokens, because the restore revoked those
  ///   that the replaced state did not accept.
  func pauseAll(keepsTokens: Bool) -> [StoreChange] {
    var changes: [StoreChange] = []
    let decider = Decider(uid: 0, role: .rule, origin: "restore", source: .restore)
    for grant in grants.decided(where: { $0.record.status.grantsAccess }) {
      var record = grant.record
      let before = record.summary(selected: selected(grant))
      record.setPaused(true, by: decider.role)
      record.setDecided(by: decider, at: environment.now)
      changes.append(.revokeToken(record.accessor))
      record.accessor = newAccessor()
      record.epoch = editor.nextEpoch()
      changes.append(
        .putToken(
          TokenRecord(
            accessor: record.accessor, app: record.key.app, grant: record.key, minted: environment.now, isRevoked: false
          )))
      changes.append(.putGrant(record))
      changes.append(
        .decide(
          DecisionRecord(
            time: environment.now, by: decider, action: "pause", library: record.key.library, app: record.key.app,
            level: record.key.level,
            before: before, after: record.summary(selected: selected(grant)))))
      grant.record = record
      grant.settled = record
    }
    for app in apps.apps.values.sorted(by: { $0.identifier < $1.identifier })
    where !keepsTokens || tokens[app.record.accessor]?.isRevoked ?? true {
      changes.append(.revokeToken(app.record.accessor))
      app.record.accessor = newAccessor()
      changes += [.putApp(app.record), .putToken(appRegistrar.ownToken(of: app.record))]
    }
    return changes + tokens.note(changes) + [
      .putSetting(name: SettingName.epochFloor, value: String(editor.latestEpoch))
    ]
  }

  /// Reads the libraries whose marks the replaced state knew from a restore's note. Nil if that
  /// state was not read, or if it was older than the epoch `outside`.
  static func libraries(knownBy note: String?, after outside: UInt64) -> Set<LibraryName>? {
    let parts = (note ?? "").split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let epoch = UInt64(parts[0]), outside <= epoch else { return nil }
    return Set(parts[1].split(separator: ",").compactMap { LibraryName(String($0)) })
  }

  /// Begins every view of a library anew, because their change tokens refer to changes that the log
  /// has dropped.
  func restartViews(in library: LibraryState) -> [StoreChange] {
    grants(in: library.record.name).flatMap { restartView(of: $0, in: library) }
  }

  /// Begins a view anew, so that older change tokens are refused. Returns the changes to store.
  func restartView(of grant: GrantState, in library: LibraryState) -> [StoreChange] {
    grant.beginView(at: library.changes.presentSequence)
    grant.settled.viewGeneration = grant.record.viewGeneration
    grant.settled.viewSince = grant.record.viewSince
    // A grant with a pending edit is written by that edit's commit.
    return grant.edits.isEmpty ? [.putGrant(grant.settled)] : []
  }

  func selected(_ grant: GrantState) -> Int {
    libraries[grant.record.key.library]?.catalogue.count(of: grant.selection) ?? 0
  }

  func newAccessor() -> Accessor {
    let words = environment.randomWords()
    return Accessor(high: words.high, low: words.low)
  }

  func newIdentifier() -> AppIdentifier {
    let words = environment.randomWords()
    return AppIdentifier(high: words.high, low: words.low)
  }
}

extension StoreContents {
  /// Whether every selection can be read at the next start.
  package var hasSoundSelections: Bool {
    for library in libraries {
      for key in selections.keys where key.library == library.record.name {
        guard (try? library.catalogue.selection(decoding: chunks(of: key))) != nil,
          (try? AssetNumbers(decoding: chunks(of: key))) != nil
        else { return false }
      }
    }
    return true
  }

  fileprivate func chunks(of key: GrantKey) -> [SelectionChunk] {
    (selections[key] ?? []).map { SelectionChunk(index: $0.index, bytes: $0.bytes) }
  }
}

extension BrokerError {
  fileprivate static func selectionDamaged() -> Self {
    .failed("A selection in the database is damaged, so nothing is served; restore the last backup.")
  }
}
