/// One pending change of a library's settings.
final class PlannedSetting {
  typealias Kept = (_ before: LibraryRecord, _ after: LibraryRecord) -> [StoreChange]

  let apply: (inout LibraryRecord) -> Void
  /// Makes further changes for the commit when it runs; nil: not ready to commit.
  fileprivate(set) var kept: Kept?
  /// Whether restrictions stay in force after a failed commit; extensions never do.
  fileprivate(set) var staysNarrowed = false
  fileprivate(set) var completion: (BrokerError?) -> Void = { _ in }

  init(_ apply: @escaping (inout LibraryRecord) -> Void) { self.apply = apply }
}

/// A library's settings: the stored ones and pending changes. One commit runs at a time, so that a
/// failed change is in no later one, and memory and store agree.
struct SettingQueue {
  fileprivate var settled: LibraryRecord
  fileprivate var waiting: [PlannedSetting] = []
  /// Whether the first of them is being committed.
  fileprivate var isKeeping = false
  /// Whether a commit of a restriction that is in force failed.
  fileprivate var isUnkept = false

  init(_ record: LibraryRecord) { settled = record }

  var planned: LibraryRecord { waiting.reduce(into: settled) { $1.apply(&$0) } }

  /// The settings in force: pending restrictions apply, pending extensions do not.
  fileprivate var present: LibraryRecord {
    var (present, later) = (settled, settled)
    for setting in waiting {
      setting.apply(&later)
      present = present.narrowed(to: later)
    }
    return present
  }
}

extension LibraryState {
  /// The settings after all pending changes, on which new changes build.
  var planned: LibraryRecord { settings.planned }

  /// Changes the record without a commit, for values that are stored already or by another commit.
  func rewrite(_ change: (inout LibraryRecord) -> Void) {
    change(&settings.settled)
    record = settings.present
  }

  /// Whether a change repeats stored settings, and so is no decision.
  func restates(_ apply: (inout LibraryRecord) -> Void) -> Bool {
    var wanted = settings.settled
    apply(&wanted)
    return wanted == settings.settled && settings.waiting.isEmpty && !settings.isUnkept
  }

  /// Plans a change and puts its restrictions in force. Call `keep` in the same turn.
  func plan(_ apply: @escaping (inout LibraryRecord) -> Void) -> PlannedSetting {
    let setting = PlannedSetting(apply)
    settings.waiting.append(setting)
    record = settings.present
    return setting
  }

  /// Commits a planned change after the earlier ones.
  /// - Parameters:
  ///   - staysNarrowed: whether restrictions stay in force after a failed commit; the next commit
  ///     then writes them.
  ///   - kept: further changes for the commit, from the record before and after.
  ///   - completion: called with the error; by then the change is in force or dropped.
  func keep(
    _ setting: PlannedSetting, staysNarrowed: Bool, _ kept: @escaping PlannedSetting.Kept,
    completion: @escaping (BrokerError?) -> Void
  ) {
    setting.kept = kept
    setting.staysNarrowed = staysNarrowed
    setting.completion = completion
    keepNextSetting()
  }

  func endSettings() {
    let dropped = settings.waiting.dropFirst(settings.isKeeping ? 1 : 0)
    settings.waiting.removeLast(dropped.count)
    for setting in dropped { setting.completion(.unknownLibrary()) }
  }

  private func keepNextSetting() {
    guard !settings.isKeeping, let setting = settings.waiting.first, let kept = setting.kept else { return }
    settings.isKeeping = true
    let before = settings.settled
    var after = before
    setting.apply(&after)
    store.keep([.putLibrary(after)] + kept(before, after)) { [self, after] failure in
      settings.isKeeping = false
      settings.waiting.removeFirst()
      let held = setting.staysNarrowed ? before.narrowed(to: after) : before
      settings.settled = failure == nil ? after : held
      settings.isUnkept = failure != nil && (settings.isUnkept || held != before)
      record = settings.present
      setting.completion(failure.map { .notKept($0, narrowed: held != before) })
      keepNextSetting()
    }
  }
}

extension LibraryRecord {
  /// The rights that both this record and a later one give.
  func narrowed(to later: Self) -> Self {
    var held = self
    held.narrowInvitations(to: later)
    held.administratorsSee = administratorsSee && later.administratorsSee
    held.administratorsDecide = administratorsDecide && later.administratorsDecide
    held.sharesOriginals = sharesOriginals && later.sharesOriginals
    held.appsDelete = appsDelete && later.appsDelete
    return held
  }

  func isNarrowed(by later: Self) -> Bool { narrowed(to: later) != self }
}
