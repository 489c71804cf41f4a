import Broker
import BrokerInterface
import Limits
import PhotoModel

/// The addresses at which users' pages are served, and the codes that open them. Both end with the
/// daemon.
final class PageLoginCodes {
  private struct Server {
    let connection: ObjectIdentifier
    let address: LoopbackAddress
    let port: UInt16
  }

  private struct Code {
    let uid: UInt32
    let secret: [UInt8]
    let expires: Duration
  }

  private var servers: [UInt32: Server] = [:]
  private var codes: [Code] = []

  /// Registers the address at which a program of the user serves the page, until the program's
  /// connection ends.
  func serve(_ uid: UInt32, address: LoopbackAddress, port: UInt16, on connection: ObjectIdentifier) {
    servers[uid] = Server(connection: connection, address: address, port: port)
  }

  func closed(_ connection: ObjectIdentifier) {
    servers = servers.filter { $0.value.connection != connection }
  }

  /// Makes a new code for the user's page.
  ///
  /// - Throws: `notFound` if no page is served, `refused` if `pageCodesPerUser` codes are unused.
  func open(
    _ uid: UInt32, _ environment: any Environment
  ) throws(BrokerError) -> (code: String, address: LoopbackAddress, port: UInt16) {
    guard let server = servers[uid] else {
      throw .notFound("page", "No page is served for you; start photobroker-web, or run photobroker open.")
    }
    forgetExpired(environment.monotonic)
    guard codes.count(where: { $0.uid == uid }) < ServiceLimits.pageCodesPerUser else {
      throw .refused("Too many links wait to be opened; use one of them, or wait a minute.")
    }
    let secret = environment.randomBytes(32)
    codes.append(Code(uid: uid, secret: secret, expires: environment.monotonic + ServiceLimits.pageCodeLifetime))
    return (Hex.text(secret), server.address, server.port)
  }

  /// Consumes a code, which is valid once, in time, for its user.
  ///
  /// - Throws: `notFound` for every kind of invalid code.
  func redeem(_ text: String, for uid: UInt32, _ environment: any Environment) throws(BrokerError) {
    forgetExpired(environment.monotonic)
    let shown = Array(text.utf8)
    var match: Int?
    for (index, code) in codes.enumerated() where code.uid == uid {
      if Self.isEqual(Array(Hex.text(code.secret).utf8), shown) { match = index }
    }
    guard let match else {
      throw .notFound("page", "This link was used before, or is too old; run photobroker open again.")
    }
    codes.remove(at: match)
  }

  private func forgetExpired(_ now: Duration) { codes.removeAll { $0.expires <= now } }

  /// Compares in constant time for texts of the same length.
  private static func isEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    return zip(a, b).reduce(into: UInt8(0)) { $0 |= $1.0 ^ $1.1 } == 0
  }
}
