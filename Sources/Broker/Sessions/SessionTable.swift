final class SessionTable {
  private var open: [ObjectIdentifier: Session] = [:]
  private var byApp: [AppIdentifier: [ObjectIdentifier: Session]] = [:]

  var all: some Sequence<Session> { open.values }

  func insert(_ session: Session) { open[ObjectIdentifier(session)] = session }

  func identify(_ session: Session, as app: AppIdentifier) {
    byApp[app, default: [:]][ObjectIdentifier(session)] = session
  }

  func remove(_ session: Session) {
    let key = ObjectIdentifier(session)
    open[key] = nil
    guard let app = session.app?.identifier else { return }
    byApp[app]?[key] = nil
    if byApp[app]?.isEmpty ?? false { byApp[app] = nil }
  }

  func sessions(of app: AppIdentifier) -> [Session] { byApp[app].map { Array($0.values) } ?? [] }
  func count(of app: AppIdentifier) -> Int { byApp[app]?.count ?? 0 }
}
