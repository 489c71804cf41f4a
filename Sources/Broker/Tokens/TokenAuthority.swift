import Cryptography
import Limits
import Macaroons
import PhotoModel

/// Mints and reads tokens. A token's text follows from its accessor and the keys, so that it need not be kept, and the same
/// grant always has the same one.
final class TokenAuthority {
  /// Tokens that were given out and were not revoked, and those that were, for lists.
  private(set) var records: [Accessor: TokenRecord]
  private let own: MacaroonVerifier?
  private var byLibrary: [LibraryName: MacaroonVerifier] = [:]

  init(brokerKey: [UInt8], records: [TokenRecord]) {
    self.records = Dictionary(records.map { ($0.accessor, $0) }, uniquingKeysWith: { first, _ in first })
    own = Self.verifier("apps", root: brokerKey, purpose: "app tokens")
  }

  func note(_ changes: [StoreChange]) {
    for change in changes {
      switch change {
      case .putToken(let record): records[record.accessor] = record
      case .revokeToken(let accessor): records[accessor]?.isRevoked = true
      default: break
      }
    }
  }

  func forget(_ library: LibraryName) {
    byLibrary[library] = nil
    records = records.filter { $0.value.grant?.library != library }
  }

  func forget(_ app: AppIdentifier) { records = records.filter { $0.value.app != app } }

  /// Whether a token of a grant of the app in the library was ever given out.
  func wasEverGranted(_ library: LibraryName, _ app: AppIdentifier) -> Bool {
    records.values.contains { $0.app == app && $0.grant?.library == library }
  }

  // MARK: Minting

  /// The app's own token: it names the app, is bound to its user, and grants nothing.
  func ownToken(of app: AppRecord) throws(BrokerError) -> String {
    try text(own, accessor: app.accessor, [.app(app.identifier.description), .uid(app.uid)])
  }

  /// The token of a grant: for one app of one user, one library, one level (R122).
  func accessToken(of grant: GrantRecord, uid: UInt32, library: LibraryRecord) throws(BrokerError) -> String {
    try text(
      verifier(of: library), accessor: grant.accessor,
      [
        .library(grant.key.library.description), .app(grant.key.app.description), .uid(uid),
        .level(grant.key.level == .addOnly ? .addOnly : .readWrite),
      ])
  }

  private func text(_ verifier: MacaroonVerifier?, accessor: Accessor, _ caveats: [Caveat]) throws(BrokerError) -> String {
    do {
      guard let verifier else { throw BrokerError.noKeys() }
      return try verifier.mint(identifier: [UInt8](accessor.description.utf8), caveats).text
    } catch {
      throw .noKeys()
    }
  }

  // MARK: Reading

  /// A token that is authentic and not revoked, and what its caveats leave.
  struct Checked {
    let record: TokenRecord
    let restrictions: TokenRestrictions
  }

  /// - Throws: `tokenRefused`, the same for whatever is wrong.
  func check(_ text: String, library: (LibraryName) -> LibraryRecord?) throws(BrokerError) -> Checked {
    do {
      guard text.utf8.count <= BrokerLimits.tokenBytes else { throw BrokerError.tokenRefused() }
      let macaroon = try Macaroon(text: text)
      guard
        let accessor = Accessor(String(decoding: macaroon.identifier, as: UTF8.self)),
        let record = records[accessor], !record.isRevoked
      else { throw BrokerError.tokenRefused() }
      let verifier = record.grant.map { key in library(key.library).flatMap { self.verifier(of: $0) } } ?? own
      guard let verifier else { throw BrokerError.tokenRefused() }
      return Checked(record: record, restrictions: try verifier.verify(macaroon))
    } catch {
      throw .tokenRefused()
    }
  }

  private func verifier(of library: LibraryRecord) -> MacaroonVerifier? {
    if let known = byLibrary[library.name] { return known }
    let made = Self.verifier(library.name.description, root: library.rootKey, purpose: "access tokens")
    byLibrary[library.name] = made
    return made
  }

  private static func verifier(_ location: String, root: [UInt8], purpose: String) -> MacaroonVerifier? {
    do {
      let key = try HKDF.derive(from: SecretBytes(copying: root.span), info: [UInt8](purpose.utf8), count: 32)
      return try MacaroonVerifier(location: location, key: key)
    } catch {
      return nil
    }
  }
}

extension BrokerError {
  static func noKeys() -> Self {
    Self(.failed, .keysBroken, "Tokens cannot be made: the broker's keys or its cryptographic library do not work. Run photobroker doctor.")
  }
}
