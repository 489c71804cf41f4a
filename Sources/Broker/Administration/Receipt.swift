import PhotoModel

/// What had already been delivered when access was taken away, and what that met (R134).
package struct Receipt: Sendable, Equatable {
  /// Grants that were ended or narrowed.
  package var grants = 0
  package var effect = NarrowingEffect()
  /// Assets and bytes that the apps had been handed since the ledger begins.
  package var delivered = Delivered()
  /// What was entered among the decisions, in its order, for taking back exactly that.
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
  /// Goes with a commit that takes something away which no grant records: such a commit succeeds on
  /// a full disk too, and a database from before it is known to be old.
  func narrowingMark() -> StoreChange { .putSetting(name: SettingName.epochFloor, value: String(editor.nextEpoch())) }

  /// Apps that may have been handed something of a library: by a grant, in force or not any more, or by a picker.
  func recipients(in library: LibraryState) -> [AppIdentifier] {
    grants(in: library.record.name).map(\.record.key.app) + library.pickerUses.keys
  }

  /// Completes a receipt with what the ledger says of these grants' apps.
  /// - Parameter recipients: Apps of which it says it too, though no grant of theirs was in force:
  ///   what they had been handed before, or by pickers, is what the caller asks about.
  func receipt(
    for keys: [GrantKey], recipients: [GrantKey] = [], effect: NarrowingEffect, decisions: [UInt64] = [],
    completion: @escaping (Receipt) -> Void
  ) {
    var pairs = Set<GrantKey>()
    for key in keys + recipients { pairs.insert(GrantKey(library: key.library, app: key.app, level: .readWrite)) }
    let gathered = Gathering<Delivered>(count: pairs.count) { result in
      var receipt = Receipt(grants: keys.count, effect: effect, decisions: decisions)
      if case .success(let all) = result {
        for delivered in all {
          receipt.delivered.assets += delivered.assets
          receipt.delivered.bytes += delivered.bytes
        }
      }
      completion(receipt)
    }
    let carried = Confined(gathered)
    for pair in pairs {
      store.delivered(library: pair.library, app: pair.app) { carried.value.take(.success($0)) }
    }
  }
}
