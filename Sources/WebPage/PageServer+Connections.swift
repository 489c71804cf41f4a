import CMicroHTTPD
import Glibc
import Synchronization

/// The callbacks of libmicrohttpd for connections.
extension PageServer {
  static let watcher = CMHDWatcher(
    mayOpen: { context, user in
      guard let context else { return 0 }
      return PageServer.held(by: context).mayOpen(user) ? 1 : 0
    },
    opened: { context, connection, user in
      guard let context else { return }
      PageServer.held(by: context).open(connection, user: user)
    },
    began: { context, connection, session in
      guard let context else { return 0 }
      return PageServer.held(by: context).begin(connection, session: session.map { String(cString: $0) })
    },
    ended: { context, connection in
      guard let context else { return }
      PageServer.held(by: context).connections.withLock { $0.end(connection, now: .now) }
    },
    closed: { context, connection in
      guard let context else { return }
      // Under the lock: the descriptor's number must not be reused before it leaves the table.
      PageServer.held(by: context).connections.withLock { $0.close(connection) }
    })

  static func held(by context: UnsafeMutableRawPointer) -> PageServer {
    Unmanaged<PageServer>.fromOpaque(context).takeUnretainedValue()
  }

  func endOverdue() { connections.withLock { Self.end($0.expire(now: .now)) } }

  private func mayOpen(_ user: Int64) -> Bool { connections.withLock { $0.mayOpen(Self.user(user), now: .now) } }

  private func open(_ connection: Int32, user: Int64) {
    connections.withLock { Self.end($0.open(connection, of: Self.user(user), now: .now)) }
  }

  private static func user(_ number: Int64) -> Connections.User {
    UInt32(exactly: number).map { $0 == geteuid() ? .owner : .other($0) } ?? .unknown
  }

  /// The greatest body size: without a session only a one-time code may follow.
  private func begin(_ connection: Int32, session: String?) -> Int {
    let isAdmitted = session.map { service.knows($0) }
    connections.withLock { $0.begin(connection, isAdmitted: isAdmitted, now: .now) }
    return isAdmitted == true ? Self.bodyLimitBytes : Self.codeLimitBytes
  }

  /// Room for 10,000 identifiers.
  private static let bodyLimitBytes = 1 << 20
  /// Room for a one-time code.
  private static let codeLimitBytes = 1 << 10

  private static func end(_ connections: [Int32]) {
    for connection in connections { shutdown(connection, Int32(SHUT_RDWR)) }
  }
}
