import PhotoModel

/// Restrictions after a restore of a database that is older than the last revocation (R144).
///
/// The broker cannot know which rights were removed since, so it removes all rights that give
/// access, and pauses the grants with ``Broker/pauseAll(keepsTokens:)``. Each restriction is a
/// decision that the owner sees and can undo.
struct RestoreRestrictions {
  let broker: Broker

  private static let decider = Decider(uid: 0, role: .rule, origin: "restore", source: .restore)

  /// - Parameter known: the libraries whose marks the replaced state knew. Its answers of users are
  ///   merged already. Nil if it was not read.
  func apply(known: Set<LibraryName>?) -> [StoreChange] {
    withdrawAdministrators()
      + broker.libraries.keys.sorted().flatMap { name -> [StoreChange] in
        guard let library = broker.libraries[name] else { return [] }
        return withdrawRules(of: name) + withdrawRights(of: library, knowsWhoLeft: known != nil)
          + withdrawSharing(of: library) + (known?.contains(name) ?? false ? [] : holdGrants(of: library))
      }
  }

  /// Removes the administrators whom root named. The machine's configuration keeps its own, because
  /// it is no part of the database.
  private func withdrawAdministrators() -> [StoreChange] {
    let before = broker.administrators.named
    guard !before.isEmpty else { return [] }
    broker.administrators.named = []
    let decision = record("administrators", nil, before: DecisionRecord.list(before), after: DecisionRecord.list([]))
    return [
      .putSetting(name: SettingName.administrators, value: ""),
      .decide(decision, change: DecisionChange(.administrators(ValueChange(before, []))), number: DecisionNumber()),
    ]
  }

  private func withdrawRules(of name: LibraryName) -> [StoreChange] {
    broker.rules.rules(of: name).filter { $0.answer == .allow || $0.answer == .select }.flatMap {
      rule -> [StoreChange] in
      broker.rules.remove(rule.name, of: name)
      return [
        .removeRule(name, name: rule.name),
        .decide(
          record("removeRule", name, before: rule.summary, after: ""),
          change: DecisionChange(.rule(ValueChange(rule, nil))), number: DecisionNumber()),
      ]
    }
  }

  /// Withdraws offers, co-owners, administrators' rights, originals, deletions and what default terms
  /// give beyond the standard: one decision for each, so that an owner can undo them separately.
  private func withdrawRights(of library: LibraryState, knowsWhoLeft: Bool) -> [StoreChange] {
    let ofPeople =
      withdraw(.offers, from: library) {
        $0.offeredTo = []
        // An undo asks nobody again who is known to have stayed.
        if !knowsWhoLeft { $0.askAnew() }
      }
      + withdraw(.delegation, from: library) {
        $0.coOwners = []
        $0.administratorsSee = false
        $0.administratorsDecide = false
      }
    return ofPeople + withdraw(.originals, from: library) { $0.sharesOriginals = false }
      + withdraw(.deletions, from: library) { $0.appsDelete = false }
      + withdraw(.terms, from: library) {
        if $0.defaultTerms != .standard { $0.defaultTerms = $0.defaultTerms.narrowed(to: .standard) }
      }
  }

  private func withdraw(
    _ aspect: LibraryAspect, from library: LibraryState, _ change: (inout LibraryRecord) -> Void
  ) -> [StoreChange] {
    let before = library.record
    library.configuration.rewrite(change)
    let after = library.record
    guard after != before else { return [] }
    guard after.rights != before.rights else { return [.putLibrary(after)] }
    let decision = record(
      aspect.action, after.name, before: aspect.words(before), after: aspect.words(after))
    let change = DecisionChange(.library(ValueChange(before.rights, after.rights)))
    return [.putLibrary(after), .decide(decision, change: change, number: DecisionNumber())]
  }

  private func withdrawSharing(of library: LibraryState) -> [StoreChange] {
    library.albums.values.filter(\.isShared).sorted { $0.identifier < $1.identifier }.flatMap {
      before -> [StoreChange] in
      var after = before
      after.isShared = false
      library.albums[after.identifier] = after
      let decision = record(
        "album", library.record.name, before: AdminAlbums.words(before, in: library),
        after: AdminAlbums.words(after, in: library))
      return [
        .putAlbum(library.record.name, after),
        .decide(decision, change: .album(from: before, to: after), number: DecisionNumber()),
      ]
    }
  }

  /// Lets no grant of a library be given before its owner confirms the marks: only the owner knows
  /// which assets were hidden or never shared since the backup. The undo of the decision confirms.
  private func holdGrants(of library: LibraryState) -> [StoreChange] {
    let name = library.record.name
    library.marks.areUnknown = true
    return [
      .putSetting(name: SettingName.unknownMarks + name.description, value: "1"),
      .decide(
        record("mark", name, before: "", after: Self.marksMissing), change: DecisionChange(.unknownMarks),
        number: DecisionNumber()),
    ]
  }

  static let marksMissing = "marks since the copy may be missing"

  private func record(_ action: String, _ library: LibraryName?, before: String, after: String) -> DecisionRecord {
    DecisionRecord(
      time: broker.environment.now, by: Self.decider, action: action, library: library, before: before, after: after)
  }
}
