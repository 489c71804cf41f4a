import Catalogue
import PhotoModel

/// Carries out edits of grants. What an edit takes away is gone when `submit` returns, before any disk has heard of it;
/// what it gives is there once the disk has it. Edits of one grant reach the disk one after the other, so that one that
/// failed leaves nothing behind in those that follow.
final class GrantEditor {
  private let store: any Store
  private let environment: any Environment
  private var epochs: EpochCounter
  weak var delegate: (any BrokerDelegate)?
  /// What goes into the same commit as an edit: questions and tokens that it settles.
  var alongside: (_ grant: GrantState, _ before: GrantRecord, _ after: GrantRecord) -> [StoreChange] = { _, _, _ in [] }
  /// Called after an edit is over, before its completion.
  var didSettle: (GrantState) -> Void = { _ in }

  init(store: any Store, environment: any Environment, epochs: EpochCounter) {
    self.store = store
    self.environment = environment
    self.epochs = epochs
  }

  var latestEpoch: UInt64 { epochs.latest }
  func nextEpoch() -> UInt64 { epochs.next() }

  /// Carries out an edit; see above for when it holds. `completion` comes after the disk has it or has refused it.
  func submit(_ edit: GrantEdit, on grant: GrantState, in library: LibraryState) {
    guard !grant.isRemoved else { return edit.completion(.failure(.grantGone())) }
    grant.edits.append(edit)
    narrow(grant, by: edit, in: library)
    if grant.edits.count == 1 { return commitFirst(of: grant, in: library) }
    hold(grant, in: library)
  }

  /// Makes everything admitted so far on this grant stale: something that it showed may be shown no longer.
  func invalidate(_ grant: GrantState) -> NarrowingEffect {
    grant.record.epoch = epochs.next()
    return delegate?.grantNarrowed(grant) ?? NarrowingEffect()
  }

  /// Ends a grant whose library or app is gone.
  func end(_ grant: GrantState, in library: LibraryState) -> NarrowingEffect {
    let showed = grant.record.status.grantsAccess
    grant.isRemoved = true
    var record = grant.record
    record.status = .notDetermined
    grant.put(record, at: library.presentSequence, environment)
    grant.albums = .none
    grant.selection = library.catalogue.emptySelection()
    grant.planned = grant.selection
    let effect = invalidate(grant)
    if showed { library.grantDidChange(grant) }
    return effect
  }

  // MARK: At once

  private func narrow(_ grant: GrantState, by edit: GrantEdit, in library: LibraryState) {
    let catalogue = library.catalogue
    var target = grant.record
    edit.change(&target)
    let inForce = grant.record.narrowed(to: target)
    let held = switch edit.selection {
    case .none: catalogue.emptySelection()
    case .edit(_, let removing): removing
    case .replace(let kept): catalogue.difference(catalogue.union(grant.planned, grant.selection), kept)
    case .clear: catalogue.union(grant.planned, grant.selection)
    }
    edit.held = held
    let taken = catalogue.intersection(grant.selection, held)
    let takesAssets = catalogue.count(of: taken) > 0
    if takesAssets { grant.selection = catalogue.difference(grant.selection, taken) }
    guard takesAssets || !inForce.hasRights(of: grant.record) else { return }
    let before = grant.record
    grant.put(inForce, at: library.presentSequence, environment)
    if inForce.policyInForce != before.policyInForce || inForce.status != before.status { grant.albums = .none }
    edit.narrows = true
    edit.effect = invalidate(grant)
    announce(grant, since: before, in: library)
  }

  // MARK: To the disk

  private func commitFirst(of grant: GrantState, in library: LibraryState) {
    guard let edit = grant.edits.first else { return }
    guard !grant.isRemoved else { return abandonAll(grant) }
    let before = grant.settled
    var target = before
    edit.change(&target)
    target.role = edit.decider.role
    target.decided = environment.now
    target.epoch = grant.record.epoch
    target.viewGeneration = grant.record.viewGeneration
    target.viewSince = grant.record.viewSince
    if target.status != grant.record.status {
      target.viewGeneration &+= 1
      target.viewSince = library.presentSequence
    }

    let selectedBefore = library.catalogue.count(of: grant.planned)
    let selection = plan(edit, of: grant, in: library, from: before, to: target)
    var changes: [StoreChange] = target.status == .notDetermined ? [.removeGrant(target.key)] : [.putGrant(target)]
    changes += selection?.changes ?? []
    if case .clear = edit.selection { changes.append(.removeSelection(target.key)) }
    changes += alongside(grant, before, target)
    changes.append(
      .decide(
        DecisionRecord(
          time: target.decided, actor: edit.decider.uid, role: edit.decider.role, origin: edit.decider.origin,
          action: edit.action, key: target.key, before: before.summary(selected: selectedBefore),
          after: target.summary(selected: library.catalogue.count(of: grant.planned)))))
    if edit.narrows { changes.append(.putSetting(name: SettingName.epochFloor, value: String(epochs.latest))) }

    store.keep(changes) { [self] failure in
      finish(edit, of: grant, in: library, target: target, selection: selection, failure: failure)
    }
  }

  private func plan(
    _ edit: GrantEdit, of grant: GrantState, in library: LibraryState, from before: GrantRecord, to target: GrantRecord
  ) -> SelectionEdit? {
    let catalogue = library.catalogue
    var adding = catalogue.emptySelection()
    var removing = catalogue.emptySelection()
    switch edit.selection {
    case .none: break
    case .edit(let added, let removed): (adding, removing) = (added, removed)
    case .replace(let kept): (adding, removing) = (kept, catalogue.difference(grant.planned, kept))
    case .clear:
      grant.planned = catalogue.emptySelection()
      grant.selection = catalogue.emptySelection()
      return nil
    }
    // What the app added before anybody decided on reading is its own from the start (R43).
    if before.status == .notDetermined, target.status.grantsAccess, target.key.level == .readWrite {
      adding = catalogue.union(adding, library.assets(createdBy: target.key.app))
    }
    guard grant.isSelectionUnsaved || catalogue.count(of: adding) + catalogue.count(of: removing) > 0 else { return nil }
    // A view that begins with this edit is fetched whole: its first selection is no news.
    let isNews = before.status == .limited && target.status == .limited
    let plan = library.selectionEdit(of: grant, adding: adding, removing: removing, isNews: isNews)
    library.applyNarrowing(plan, to: grant)
    return plan
  }

  private func finish(
    _ edit: GrantEdit, of grant: GrantState, in library: LibraryState, target: GrantRecord, selection: SelectionEdit?,
    failure: StoreFailure?
  ) {
    guard !grant.isRemoved else { return abandonAll(grant) }
    grant.edits.removeFirst()
    grant.settled = failure == nil ? target : grant.settled.narrowed(to: target)
    hold(grant, in: library)
    if case .clear = edit.selection { grant.isSelectionUnsaved = failure != nil }
    if let selection {
      if failure == nil { library.applyWidening(selection, to: grant) } else { library.abandon(selection, of: grant) }
    }
    let before = grant.record
    var inForce = grant.settled
    for waiting in grant.edits {
      var next = inForce
      waiting.change(&next)
      inForce = inForce.narrowed(to: next)
    }
    grant.put(inForce, at: library.presentSequence, environment)
    announce(grant, since: before, in: library)
    if let selection, library.catalogue.count(of: selection.added) > 0 { delegate?.albumAccessNeeded(grant) }
    didSettle(grant)
    if let failure {
      edit.completion(.failure(.notKept(failure, narrowed: edit.narrows)))
    } else {
      let empty = library.catalogue.emptySelection()
      edit.completion(
        .success(
          GrantOutcome(
            grant: grant, added: selection?.added ?? empty, removed: selection?.removed ?? empty, effect: edit.effect,
            narrowed: edit.narrows)))
    }
    commitFirst(of: grant, in: library)
  }

  /// What edits that wait take away stays away, whatever the one that is over has added.
  private func hold(_ grant: GrantState, in library: LibraryState) {
    grant.held = nil
    for waiting in grant.edits {
      guard let held = waiting.held else { continue }
      grant.held = grant.held.map { library.catalogue.union($0, held) } ?? held
    }
  }

  private func abandonAll(_ grant: GrantState) {
    let edits = grant.edits
    grant.edits = []
    for edit in edits { edit.completion(.failure(.grantGone())) }
  }

  /// A running app is told of another status, and the album policy is asked anew (R18, R137).
  private func announce(_ grant: GrantState, since before: GrantRecord, in library: LibraryState) {
    if grant.record.policyInForce != before.policyInForce || grant.record.status != before.status {
      delegate?.albumAccessNeeded(grant)
    }
    if grant.record.status != before.status || grant.record.isPaused != before.isPaused { library.grantDidChange(grant) }
  }
}

extension BrokerError {
  static func grantGone() -> Self {
    .notFound("grant", "The library or the app is gone; list the grants to see what is there.")
  }

  /// The edit is not on the disk. What it took away stays away until the broker stops.
  static func notKept(_ failure: StoreFailure, narrowed: Bool) -> Self {
    narrowed
      ? Self(
        .failed,
        "Access is taken away now, but the disk did not keep that: \(failure.message) Free the disk and repeat, or access is back when the broker restarts.")
      : Self(.failed, "The disk did not keep the decision, so nothing was changed: \(failure.message) Free the disk and repeat.")
  }
}
