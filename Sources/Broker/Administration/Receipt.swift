import PhotoModel

/// The effect of ended access, and the deliveries before it (R134).
package struct Receipt: Sendable, Equatable {
  /// Number of grants that were ended or restricted.
  package var grants = 0
  package var effect = NarrowingEffect()
  /// Assets and bytes that the ledger counts as delivered to the apps.
  package var delivered = Delivered()
  /// Numbers of the recorded decisions, in order, with which a caller can undo exactly these.
  package var decisions: [UInt64] = []

  package init(
    grants: Int = 0, effect: NarrowingEffect = NarrowingEffect(), delivered: Delivered = Delivered(),
    decisions: [UInt64] = []
  ) {
    self.grants = grants
    self.effect = effect
    self.delivered = delivered
    self.decisions = decisions
  }
}

extension Broker {
  /// A setting to store with a restriction that no grant records. It lets the commit succeed on a
  /// full disk, and marks an earlier copy of the database as old.
  func narrowingMark() -> StoreChange { .putSetting(name: SettingName.epochFloor, value: String(editor.nextEpoch())) }

  /// Apps that may have been handed assets of a library, through a present or past grant or a
  /// picker.
  func recipients(in library: LibraryState) -> [AppIdentifier] {
    grants(in: library.record.name).map(\.record.key.app) + library.pickerUses.keys
  }

  /// Completes a receipt with the ledger's counts for the apps of these grants.
  /// - Parameter recipients: apps to count as well although no grant of theirs was in force. They
  ///   may have been handed assets before, or by pickers.
  func receipt(
    for keys: [GrantKey], recipients: [GrantKey] = [], effect: NarrowingEffect, decisions: [UInt64] = [],
    completion: @escaping (Receipt) -> Void
  ) {
    var pairs = Set<GrantKey>()
    for key in keys + recipients { pairs.insert(GrantKey(library: key.library, app: key.app, level: .readWrite)) }
    let gathered = CompletionGroup<Delivered>(count: pairs.count) { result in
      var receipt = Receipt(grants: keys.count, effect: effect, decisions: decisions)
      if case .success(let all) = result {
        for delivered in all {
          receipt.delivered.assets += delivered.assets
          receipt.delivered.bytes += delivered.bytes
        }
      }
      completion(receipt)
    }
    for pair in pairs {
      store.delivered(library: pair.library, app: pair.app) { gathered.take(.success($0)) }
    }
  }
}
