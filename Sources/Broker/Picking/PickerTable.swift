/// Pickers that wait for a person, the longest waiting first, and what was picked and can still be loaded.
final class PickerTable {
  private(set) var waiting: [PickerRequest] = []
  private var picks: [ObjectIdentifier: (session: Session, picks: [Pick])] = [:]

  func insert(_ request: PickerRequest) { waiting.append(request) }

  func remove(_ identifier: AppIdentifier) -> PickerRequest? {
    waiting.firstIndex { $0.identifier == identifier }.map { waiting.remove(at: $0) }
  }

  /// Takes out those that a condition holds for.
  func remove(where isMeant: (PickerRequest) -> Bool) -> [PickerRequest] {
    let removed = waiting.filter(isMeant)
    waiting.removeAll(where: isMeant)
    return removed
  }

  func keep(_ pick: Pick, for session: Session) { picks[ObjectIdentifier(session), default: (session, [])].picks.append(pick) }

  func picks(of session: Session) -> [Pick] { picks[ObjectIdentifier(session)]?.picks ?? [] }

  var grants: [GrantState] { picks.values.flatMap { $0.picks.map(\.grant) } }

  func forget(_ session: Session) -> [Pick] { picks.removeValue(forKey: ObjectIdentifier(session))?.picks ?? [] }
}
