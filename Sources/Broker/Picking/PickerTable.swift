/// Open pickers, oldest first, and picks that can still be loaded.
final class PickerTable {
  private(set) var waiting: [PickerRequest] = []
  private var picks: [ObjectIdentifier: (session: Session, picks: [Pick])] = [:]

  func insert(_ request: PickerRequest) { waiting.append(request) }

  func remove(_ identifier: AppIdentifier) -> PickerRequest? {
    waiting.firstIndex { $0.identifier == identifier }.map { waiting.remove(at: $0) }
  }

  func replace(_ request: PickerRequest, with renewed: PickerRequest) {
    if let index = waiting.firstIndex(where: { $0 === request }) { waiting[index] = renewed }
  }

  func remove(where isMeant: (PickerRequest) -> Bool) -> [PickerRequest] {
    let removed = waiting.filter(isMeant)
    waiting.removeAll(where: isMeant)
    return removed
  }

  /// Adds a pick, and drops ended picks of its connection.
  func keep(_ pick: Pick, for session: Session, _ environment: any Environment) {
    var kept = picks[ObjectIdentifier(session)]?.picks.filter { $0.grant.isInForce(environment) } ?? []
    kept.append(pick)
    picks[ObjectIdentifier(session)] = (session, kept)
  }

  func picks(of session: Session) -> [Pick] { picks[ObjectIdentifier(session)]?.picks ?? [] }

  var grants: [GrantState] { picks.values.flatMap { $0.picks.map(\.grant) } }

  func forget(_ session: Session) -> [Pick] { picks.removeValue(forKey: ObjectIdentifier(session))?.picks ?? [] }
}
