import Broker
import EventLoop

/// Ends the effects of a token when it expires: by a timer for each connection, and by checks of
/// the clock, which can be set.
///
/// The holder learns of the end at that time and not with the next change. Otherwise an expired
/// token would reveal changes that it never showed.
final class TokenEnds {
  private struct Watched {
    let connection: Connection
    let session: Session
    let next: TokenEnd
    let timer: TimerID
  }

  private unowned let core: ServiceCore
  private var watched: [ObjectIdentifier: Watched] = [:]
  private var ended: [Connection] = []

  init(core: ServiceCore) { self.core = core }

  /// Starts the timer for a connection whose tokens changed or expired.
  func watch(_ connection: Connection, _ session: Session) {
    forget(connection)
    guard !connection.isClosed, let next = session.nextTokenEnd else { return }
    let timer = core.loop.schedule(after: next.left(core.environment)) { [self] in look(at: connection) }
    watched[ObjectIdentifier(connection)] = Watched(connection: connection, session: session, next: next, timer: timer)
  }

  func forget(_ connection: Connection) {
    if let known = watched.removeValue(forKey: ObjectIdentifier(connection)) { core.loop.cancel(known.timer) }
  }

  /// Called once a second, and when a clock was set.
  func look() {
    for known in Array(watched.values) { look(at: known.connection) }
  }

  private func look(at connection: Connection) {
    guard let known = watched[ObjectIdentifier(connection)], known.next.hasCome(core.environment) else { return }
    watch(connection, known.session)
    ended.append(connection)
    // Many can expire at one moment.
    if ended.count == 1 { core.tasks.add { [self] in endNext() } }
  }

  private func endNext() -> Bool {
    if let connection = ended.popLast(), !connection.isClosed { core.tokenEnded(on: connection) }
    return !ended.isEmpty
  }
}
