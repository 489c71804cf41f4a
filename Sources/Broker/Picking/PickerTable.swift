/// Pickers that wait for a person, the longest waiting first, and what was picked and can still be loaded.
final class PickerTable {
  private(set) var waiting: [PickerRequest] = []
  private var picks: [ObjectIdentifier: (session: Session, picks: [Pick])] = [:]

  func insert(_ request: PickerRequest) { waiting.append(request) }

  func remove(_ identifier: AppIdentifier) -> PickerRequest? {
    waiting.firstIndex { $0.identifier == identifier }.map { waiting.remove(at: $0) }
  }

  /// Puts one in another's place.
  func replace(_ request: PickerRequest, with renewed: PickerRequest) {
    if let index = waiting.firstIndex(where: { $0 === request }) { waiting[index] = renewed }
  }

  /// Takes out those that a condition holds for.
  func remove(where isMeant: (PickerRequest) -> Bool) -> [PickerRequest] {
    let removed = waiting.filter(isMeant)
    waiting.removeAll(where: isMeant)
    return removed
  }

  /// Keeps a pick, and lets go of those of its connection that have ended.
  func keep(_ pick: Pick, for session: Session, _ environment: any Environment) {
    var kept = picks[ObjectIdentifier(session)]?.picks.filter { $0.grant.isInForce(environment) } ?? []
    kept.append(pick)
    picks[ObjectIdentifier(session)] = (session, kept)
  }

  func picks(of session: Session) -> [Pick] { picks[ObjectIdentifier(session)]?.picks ?? [] }

  var grants: [GrantState] { picks.values.flatMap { $0.picks.map(\.grant) } }

  func forget(_ session: Session) -> [Pick] { picks.removeValue(forKey: ObjectIdentifier(session))?.picks ?? [] }
}
