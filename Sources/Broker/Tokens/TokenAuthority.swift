import Cryptography
import Limits
import Macaroons
import PhotoModel

/// Mints and verifies tokens. A token's text is computed from its accessor and the keys, so it is
/// not stored, and a grant's token is always the same.
final class TokenAuthority {
  /// Valid tokens and the latest revoked ones, for lists.
  private var records: [Accessor: TokenRecord] = [:]
  /// Accessors by place, in the order of minting.
  private var byPlace: [Place: [Accessor]] = [:]
  private var placesOfApps: [AppIdentifier: Set<Place>] = [:]
  private var placesOfLibraries: [LibraryName: Set<Place>] = [:]
  let budgets: TokenBudgets
  private let own: MacaroonVerifier?
  private var byLibrary: [LibraryName: MacaroonVerifier] = [:]

  /// The purpose of a token: access by a grant, or naming an app.
  private struct Place: Hashable {
    let app: AppIdentifier
    let grant: GrantKey?

    init(_ record: TokenRecord) { (app, grant) = (record.app, record.grant) }
  }

  init(brokerKey: [UInt8], records: [TokenRecord], budgets: TokenBudgets) {
    self.budgets = budgets
    own = Self.verifier("apps", root: brokerKey, purpose: "app tokens")
    for record in records.sorted(by: { ($0.minted, $0.accessor.value) < ($1.minted, $1.accessor.value) }) {
      put(record)
    }
  }

  subscript(_ accessor: Accessor) -> TokenRecord? { records[accessor] }

  /// All issued tokens, unordered.
  var all: some Collection<TokenRecord> { records.values }

  /// The tokens of an app, its own included.
  func tokens(of app: AppIdentifier) -> [TokenRecord] { tokens(in: placesOfApps[app]) }

  /// The tokens of a library's grants.
  func tokens(of library: LibraryName) -> [TokenRecord] { tokens(in: placesOfLibraries[library]) }

  private func tokens(in places: Set<Place>?) -> [TokenRecord] {
    (places ?? []).flatMap { (byPlace[$0] ?? []).compactMap { records[$0] } }
  }

  /// Applies changes of tokens that are about to be stored.
  /// - Returns: further changes that revoke children of revoked tokens, and delete the oldest
  ///   revoked tokens (``TokenRecord/revokedKept``).
  func note(_ changes: [StoreChange]) -> [StoreChange] {
    var further: [StoreChange] = []
    for change in changes {
      switch change {
      case .putToken(let record): put(record)
      case .revokeToken(let accessor):
        guard let record = records[accessor] else { continue }
        let children = children(of: record).map(\.accessor)
        for ended in [accessor] + children {
          records[ended]?.isRevoked = true
          budgets.forget(ended)
        }
        further += children.map { .revokeToken($0) } + forgetRevoked(in: Place(record)).map { .forgetToken($0) }
      default: break
      }
    }
    return further
  }

  /// The children of a grant's token that are not revoked.
  func children(of parent: TokenRecord) -> [TokenRecord] {
    (byPlace[Place(parent)] ?? []).compactMap { records[$0] }.filter {
      $0.child?.parent == parent.accessor && !$0.isRevoked
    }
  }

  private func put(_ record: TokenRecord) {
    guard records.updateValue(record, forKey: record.accessor) == nil else { return }
    let place = Place(record)
    byPlace[place, default: []].append(record.accessor)
    placesOfApps[record.app, default: []].insert(place)
    if let library = record.grant?.library { placesOfLibraries[library, default: []].insert(place) }
  }

  private func forgetRevoked(in place: Place) -> [Accessor] {
    let revoked = (byPlace[place] ?? []).filter { records[$0]?.isRevoked ?? false }
    let forgotten = Set(revoked.dropLast(TokenRecord.revokedKept))
    guard !forgotten.isEmpty else { return [] }
    for accessor in forgotten { records[accessor] = nil }
    byPlace[place]?.removeAll(where: forgotten.contains)
    return revoked.filter(forgotten.contains)
  }

  private func forget(_ places: Set<Place>) {
    for place in places {
      for accessor in byPlace.removeValue(forKey: place) ?? [] {
        records[accessor] = nil
        budgets.forget(accessor)
      }
      placesOfApps[place.app]?.remove(place)
      if placesOfApps[place.app]?.isEmpty ?? false { placesOfApps[place.app] = nil }
      guard let library = place.grant?.library else { continue }
      placesOfLibraries[library]?.remove(place)
      if placesOfLibraries[library]?.isEmpty ?? false { placesOfLibraries[library] = nil }
    }
  }

  func forget(_ library: LibraryName) {
    byLibrary[library] = nil
    forget(placesOfLibraries[library] ?? [])
  }

  func forget(_ app: AppIdentifier) { forget(placesOfApps[app] ?? []) }

  /// Whether a token was ever issued for the app in the library.
  func wasEverGranted(_ library: LibraryName, _ app: AppIdentifier) -> Bool {
    (placesOfApps[app] ?? []).contains { $0.grant?.library == library }
  }

  // MARK: Minting

  /// The app's own token: it names the app, is bound to its user, and grants nothing.
  func ownToken(of app: AppRecord) throws(BrokerError) -> String {
    try text(own, accessor: app.accessor, [.app(app.identifier.description), .uid(app.uid)])
  }

  /// The token of a grant, for one app of one user, one library and one level (R122).
  func accessToken(of grant: GrantRecord, uid: UInt32, library: LibraryRecord) throws(BrokerError) -> String {
    try text(verifier(of: library), accessor: grant.accessor, caveats(of: grant.key, uid: uid))
  }

  /// The token of a child: the grant's with a user of its own, and with the caveats of the token
  /// from which it is made.
  func childToken(
    _ record: TokenRecord, _ child: ChildToken, of grant: GrantRecord, _ restrictions: TokenRestrictions,
    library: LibraryRecord
  ) throws(BrokerError) -> String {
    let ends = child.end.map { [Caveat.before($0.microseconds / 1_000_000)] } ?? []
    return try text(
      verifier(of: library), accessor: record.accessor,
      caveats(of: grant.key, uid: child.uid) + restrictions.attenuation + ends)
  }

  private func caveats(of key: GrantKey, uid: UInt32) -> [Caveat] {
    [
      .library(key.library.description), .app(key.app.description), .uid(uid),
      .level(key.level == .addOnly ? .addOnly : .readWrite),
    ]
  }

  private func text(_ verifier: MacaroonVerifier?, accessor: Accessor, _ caveats: [Caveat]) throws(BrokerError)
    -> String
  {
    do {
      guard let verifier else { throw BrokerError.noKeys() }
      return try verifier.mint(identifier: [UInt8](accessor.description.utf8), caveats).text
    } catch let error as MacaroonError where error.code == .limitExceeded {
      throw .photos(.limitExceeded, error.message)
    } catch {
      throw .noKeys()
    }
  }

  // MARK: Verifying

  /// An authentic, valid token with its caveats' restrictions.
  struct Checked {
    let record: TokenRecord
    let restrictions: TokenRestrictions
    let budgets: [TokenBudget]
  }

  /// - Throws: `tokenRefused`, the same for every fault. A revoked token is no fault here.
  func check(_ text: String, library: (LibraryName) -> LibraryRecord?) throws(BrokerError) -> Checked {
    do {
      guard text.utf8.count <= BrokerLimits.tokenBytes else { throw BrokerError.tokenRefused() }
      let macaroon = try Macaroon(text: text)
      guard
        let accessor = Accessor(String(decoding: macaroon.identifier, as: UTF8.self)),
        let record = records[accessor]
      else { throw BrokerError.tokenRefused() }
      let verifier = record.grant.map { key in library(key.library).flatMap { self.verifier(of: $0) } } ?? own
      guard let verifier else { throw BrokerError.tokenRefused() }
      let restrictions = try verifier.verify(macaroon)
      return Checked(record: record, restrictions: restrictions, budgets: try verifier.budgets(of: macaroon))
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
    .failed(
      .keysBroken,
      "Tokens cannot be made: the broker's keys or its libcrypto do not work. Check the installation of libcrypto, "
        + "and restart the broker.")
  }
}
