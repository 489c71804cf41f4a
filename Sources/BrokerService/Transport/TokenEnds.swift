import Broker
import EventLoop

/// Has what a token allowed end when the token does: by a timer for each connection, and by looks
/// at the clock, which may be set.
///
/// Who holds a token that has ended is told so by that alone: were it the next narrowing or change
/// that told it, then a token that was made to end would tell of what it never showed.
final class TokenEnds {
  private struct Watched {
    let connection: Connection
    let session: Session
    let next: TokenEnd
    let timer: TimerID
  }

  private unowned let core: ServiceCore
  private var watched: [ObjectIdentifier: Watched] = [:]
  /// Connections of which a token has ended.
  private var ended: [Connection] = []

  init(core: ServiceCore) { self.core = core }

  /// Tokens of a connection are other ones, or one of them has ended.
  func watch(_ connection: Connection, _ session: Session) {
    forget(connection)
    guard !connection.isClosed, let next = session.nextTokenEnd else { return }
    let timer = core.loop.schedule(after: next.left(core.environment)) { [self] in look(at: connection) }
    watched[ObjectIdentifier(connection)] = Watched(connection: connection, session: session, next: next, timer: timer)
  }

  func forget(_ connection: Connection) {
    if let known = watched.removeValue(forKey: ObjectIdentifier(connection)) { core.loop.cancel(known.timer) }
  }

  /// Once a second, and when a clock was set.
  func look() {
    for known in Array(watched.values) { look(at: known.connection) }
  }

  private func look(at connection: Connection) {
    guard let known = watched[ObjectIdentifier(connection)], known.next.hasCome(core.environment) else { return }
    watch(connection, known.session)
    ended.append(connection)
    // Many may end at one moment.
    if ended.count == 1 { core.doSoonInPieces { [self] in endNext() } }
  }

  private func endNext() -> Bool {
    if let connection = ended.popLast(), !connection.isClosed { core.tokenEnded(on: connection) }
    return !ended.isEmpty
  }
}
