/// One setting of a library on its way to the disk.
final class PlannedSetting {
  typealias Kept = (_ before: LibraryRecord, _ after: LibraryRecord) -> [StoreChange]

  let apply: (inout LibraryRecord) -> Void
  /// What is kept beside the record, asked when it is its turn; nil: not to be kept yet.
  fileprivate(set) var kept: Kept?
  /// Whether what it takes away stays away, though the disk does not keep that; what it gives never does.
  fileprivate(set) var staysNarrowed = false
  fileprivate(set) var completion: (BrokerError?) -> Void = { _ in }

  init(_ apply: @escaping (inout LibraryRecord) -> Void) { self.apply = apply }
}

/// A library's settings: as they are kept, and those that wait for the disk, which takes one at a
/// time. What it refuses is thus in no later one, and memory and disk agree whatever it refuses.
struct SettingQueue {
  fileprivate var settled: LibraryRecord
  fileprivate var waiting: [PlannedSetting] = []
  /// Whether the first of them is at the disk.
  fileprivate var isKeeping = false
  /// Whether the disk refused to take away what is taken away here.
  fileprivate var isUnkept = false

  init(_ record: LibraryRecord) { settled = record }

  /// As it will be when the disk has everything.
  var planned: LibraryRecord { waiting.reduce(into: settled) { $1.apply(&$0) } }

  /// As it is now: what is taken away is gone at once, what is given is there when the disk has it.
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
  /// As it will be when the disk has every setting that is on its way; edits build on this one.
  var planned: LibraryRecord { settings.planned }

  /// Sets something as it was kept before this started, or as is kept in another way.
  func rewrite(_ change: (inout LibraryRecord) -> Void) {
    change(&settings.settled)
    record = settings.present
  }

  /// Whether a setting says what holds and is kept already, which is no decision.
  func restates(_ apply: (inout LibraryRecord) -> Void) -> Bool {
    var wanted = settings.settled
    apply(&wanted)
    return wanted == settings.settled && settings.waiting.isEmpty && !settings.isUnkept
  }

  /// Takes away at once what a setting takes away. Call `keep` in the same turn.
  func plan(_ apply: @escaping (inout LibraryRecord) -> Void) -> PlannedSetting {
    let setting = PlannedSetting(apply)
    settings.waiting.append(setting)
    record = settings.present
    return setting
  }

  /// Has the disk keep a setting, when it has those before it.
  /// - Parameters:
  ///   - staysNarrowed: What it takes away stays away where the disk refuses it, and is written with the next one.
  ///   - kept: What goes to the disk beside the record, by how that was and will be.
  ///   - completion: Called with what was wrong. The setting holds, or does not, by then.
  func keep(
    _ setting: PlannedSetting, staysNarrowed: Bool, _ kept: @escaping PlannedSetting.Kept,
    completion: @escaping (BrokerError?) -> Void
  ) {
    setting.kept = kept
    setting.staysNarrowed = staysNarrowed
    setting.completion = completion
    keepNextSetting()
  }

  /// The library is gone: nothing more of it is kept.
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
  /// What of this holds still while it becomes another: without what that takes away.
  func narrowed(to later: Self) -> Self {
    var held = self
    held.offeredTo.formIntersection(later.offeredTo)
    held.acceptedBy.formIntersection(later.acceptedBy)
    held.declinedBy.formUnion(later.declinedBy)
    held.refusedBy.formUnion(later.refusedBy)
    held.coOwners.formIntersection(later.coOwners)
    held.joinedBy.formIntersection(later.joinedBy)
    held.administratorsSee = administratorsSee && later.administratorsSee
    held.administratorsDecide = administratorsDecide && later.administratorsDecide
    held.sharesOriginals = sharesOriginals && later.sharesOriginals
    held.appsDelete = appsDelete && later.appsDelete
    return held
  }

  func isNarrowed(by later: Self) -> Bool { narrowed(to: later) != self }
}
