import Broker

/// The streams that are open, so that an edit of a grant can end those that it concerns.
struct StreamTable {
  private var sessions: [ObjectIdentifier: StreamSession] = [:]

  mutating func insert(_ session: StreamSession) { sessions[ObjectIdentifier(session)] = session }
  mutating func remove(_ session: StreamSession) { sessions[ObjectIdentifier(session)] = nil }

  func sessions(where matches: (Permit) -> Bool) -> [StreamSession] { sessions.values.filter { matches($0.admission.permit) } }
}
