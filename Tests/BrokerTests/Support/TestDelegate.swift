import Broker

/// Notes what the decisions want done around them.
final class TestDelegate: BrokerDelegate {
  private(set) var narrowed: [GrantKey] = []
  private(set) var promptsChanged: [UInt32] = []
  private(set) var closed: [Session] = []
  private(set) var albumsNeeded: [GrantKey] = []
  /// What narrowing meets.
  var effect = NarrowingEffect()
  /// Runs at the moment of a narrowing.
  var onNarrowing: (GrantState) -> Void = { _ in }

  func grantNarrowed(_ grant: GrantState) -> NarrowingEffect {
    narrowed.append(grant.record.key)
    onNarrowing(grant)
    return effect
  }
  func albumAccessNeeded(_ grant: GrantState) { albumsNeeded.append(grant.record.key) }
  func promptsChanged(owner: UInt32) { promptsChanged.append(owner) }
  func closeSession(_ session: Session) { closed.append(session) }
}
