import PhotoModel

/// What holds when the database is older than the last revocation: somebody put an older one back
/// (R144).
///
/// What was taken away since cannot be known, so all that gives is taken away, beside the grants
/// that ``pauseAll()`` pauses. Each is a decision of its own that its owner sees and can undo.
extension Broker {
  private static let decider = Decider(uid: 0, role: .rule, origin: "restore", source: .restore)

  /// - Parameter knowsWhoLeft: co-owners who left since are none any more here either.
  func withdrawWhatGives(knowsWhoLeft: Bool) -> [StoreChange] {
    withdrawAdministrators()
      + libraries.keys.sorted().flatMap { name -> [StoreChange] in
        guard let library = libraries[name] else { return [] }
        return withdrawRules(of: name) + withdrawRights(of: library, knowsWhoLeft: knowsWhoLeft)
          + withdrawSharing(of: library) + [
            noteMarks(of: name)
          ]
      }
  }

  /// Those whom root named. The machine's configuration is not part of the database, and its administrators stay.
  private func withdrawAdministrators() -> [StoreChange] {
    let before = namedAdministrators
    guard !before.isEmpty else { return [] }
    namedAdministrators = []
    let decision = record("administrators", nil, before: AdminSession.list(before), after: AdminSession.list([]))
    return [
      .putSetting(name: SettingName.administrators, value: ""),
      .decide(decision, change: .administrators(before: before, after: []), number: DecisionNumber()),
    ]
  }

  private func withdrawRules(of name: LibraryName) -> [StoreChange] {
    rules.rules(of: name).filter { $0.answer == .allow || $0.answer == .select }.flatMap { rule -> [StoreChange] in
      rules.remove(rule.name, of: name)
      return [
        .removeRule(name, name: rule.name),
        .decide(
          record("removeRule", name, before: rule.summary, after: ""), change: .rule(before: rule, after: nil),
          number: DecisionNumber()),
      ]
    }
  }

  /// To whom the library is offered, who decides in it and sees beside its owner, whether originals are shared and
  /// apps delete: a decision each, so that each can be undone by itself.
  private func withdrawRights(of library: LibraryState, knowsWhoLeft: Bool) -> [StoreChange] {
    let ofPeople =
      withdraw("offer", from: library, { AdminSession.list($0.offeredTo) }) { $0.offeredTo = [$0.owner] }
      + withdraw("delegate", from: library, \.delegated) {
        $0.coOwners = []
        // To undo this asks nobody again who is known to have stayed.
        if !knowsWhoLeft { $0.joinedBy = [] }
        $0.administratorsSee = false
        $0.administratorsDecide = false
      }
    return ofPeople + withdraw("originals", from: library, \.originalsShared) { $0.sharesOriginals = false }
      + withdraw("deletions", from: library, \.deletionsAllowed) { $0.appsDelete = false }
  }

  private func withdraw(
    _ action: String, from library: LibraryState, _ words: (LibraryRecord) -> String,
    _ change: (inout LibraryRecord) -> Void
  ) -> [StoreChange] {
    let before = library.record
    library.rewrite(change)
    let after = library.record
    guard after != before else { return [] }
    guard LibraryRights(after) != LibraryRights(before) else { return [.putLibrary(after)] }
    let decision = record(action, after.name, before: words(before), after: words(after))
    return [
      .putLibrary(after),
      .decide(
        decision, change: .library(before: LibraryRights(before), after: LibraryRights(after)), number: DecisionNumber()
      ),
    ]
  }

  /// Albums that apps whose policy says so may read.
  private func withdrawSharing(of library: LibraryState) -> [StoreChange] {
    library.albums.values.filter(\.isShared).sorted { $0.identifier < $1.identifier }.flatMap {
      before -> [StoreChange] in
      var after = before
      after.isShared = false
      library.albums[after.identifier] = after
      let decision = record(
        "album", library.record.name, before: AdminSession.words(before, in: library),
        after: AdminSession.words(after, in: library))
      let change = AlbumChange(from: before, to: after).map { DecisionChange.album($0) }
      return [.putAlbum(library.record.name, after), .decide(decision, change: change, number: DecisionNumber())]
    }
  }

  /// Which assets were marked as hidden or never to be shared since, only their owner knows: before a grant is resumed.
  private func noteMarks(of name: LibraryName) -> StoreChange {
    .decide(
      record("mark", name, before: "", after: "marks since the copy may be missing"), change: nil,
      number: DecisionNumber())
  }

  private func record(_ action: String, _ library: LibraryName?, before: String, after: String) -> DecisionRecord {
    DecisionRecord(
      time: environment.now, by: Self.decider, action: action, library: library, before: before, after: after)
  }
}
