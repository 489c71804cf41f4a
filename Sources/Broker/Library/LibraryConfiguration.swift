/// One pending change of a library's configuration.
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

/// A library's stored configuration and pending changes of it. One commit runs at a time, so that no
/// later commit contains a failed change, and memory and store agree.
package final class LibraryConfiguration {
  /// The configuration in force: pending restrictions apply, pending extensions do not.
  package private(set) var record: LibraryRecord
  private var settled: LibraryRecord
  private var waiting: [PlannedSetting] = []
  /// Whether the first waiting change is being committed.
  private var isKeeping = false
  /// Whether a commit of a restriction that is in force failed.
  private var isUnkept = false
  private let store: any Store

  init(_ record: LibraryRecord, store: any Store) {
    self.record = record
    settled = record
    self.store = store
  }

  /// The configuration after all pending changes, on which new changes build.
  var planned: LibraryRecord { waiting.reduce(into: settled) { $1.apply(&$0) } }

  private func putInForce() {
    var (present, later) = (settled, settled)
    for setting in waiting {
      setting.apply(&later)
      present = present.narrowed(to: later)
    }
    record = present
  }

  /// Changes the record without a commit, for values that are stored already or by another commit.
  func rewrite(_ change: (inout LibraryRecord) -> Void) {
    change(&settled)
    putInForce()
  }

  /// Whether a change repeats stored values, and so is no decision.
  func restates(_ apply: (inout LibraryRecord) -> Void) -> Bool {
    var wanted = settled
    apply(&wanted)
    return wanted == settled && waiting.isEmpty && !isUnkept
  }

  /// Plans a change and puts its restrictions in force. Call `keep` in the same turn.
  func plan(_ apply: @escaping (inout LibraryRecord) -> Void) -> PlannedSetting {
    let setting = PlannedSetting(apply)
    waiting.append(setting)
    putInForce()
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
    keepNext()
  }

  /// Drops the pending changes of a removed library.
  func end() {
    let dropped = waiting.dropFirst(isKeeping ? 1 : 0)
    waiting.removeLast(dropped.count)
    for setting in dropped { setting.completion(.unknownLibrary()) }
  }

  private func keepNext() {
    guard !isKeeping, let setting = waiting.first, let kept = setting.kept else { return }
    isKeeping = true
    let before = settled
    var after = before
    setting.apply(&after)
    store.commit([.putLibrary(after)] + kept(before, after)) { [self, after] failure in
      isKeeping = false
      waiting.removeFirst()
      let held = setting.staysNarrowed ? before.narrowed(to: after) : before
      settled = failure == nil ? after : held
      isUnkept = failure != nil && (isUnkept || held != before)
      putInForce()
      setting.completion(failure.map { .notKept($0, narrowed: held != before) })
      keepNext()
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
    let losesPlaces = defaultTerms.location == nil && later.defaultTerms.location == false
    if losesPlaces || !later.defaultTerms.include(defaultTerms) {
      held.defaultTerms = defaultTerms.narrowed(to: later.defaultTerms)
    }
    return held
  }

  func isNarrowed(by later: Self) -> Bool { narrowed(to: later) != self }
}
