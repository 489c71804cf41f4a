/// The rights that a token's caveats leave: their intersection. Nil is no restriction.
public struct TokenRestrictions: Hashable, Sendable {
  /// The only library.
  public private(set) var library: String?
  /// The only app.
  public private(set) var app: String?
  /// The only user.
  public private(set) var uid: UInt32?
  /// The only access level.
  public private(set) var level: TokenLevel?
  /// The allowed uses.
  public private(set) var verbs = Verbs.all
  /// The end of validity, in seconds since 1970.
  public private(set) var before: Int64?
  /// The only assets, by the app's own identifiers.
  public private(set) var assets: Set<UInt128>?
  /// The albums that have to contain an asset, each of them, by the app's own identifiers.
  public private(set) var albums: Set<UInt128> = []
  /// The earliest creation date, in seconds since 1970.
  public private(set) var createdFrom: Int64?
  /// The end of creation dates, in seconds since 1970.
  public private(set) var createdBefore: Int64?
  /// The facts that the holder does not get.
  public private(set) var withheld: WithheldFacts = []
  /// The longest edge of the pictures that stand for files. Files are withheld then.
  public private(set) var pixels: Int?
  /// The number of calls, if none was made yet.
  public private(set) var uses: Int64?
  /// The number of bytes, if none was delivered yet.
  public private(set) var bytes: Int64?

  /// Creates restrictions of a token without caveats.
  public init() {}

  /// Adds the restriction of `caveat`.
  ///
  /// - Throws: `contradiction` if it names another library, app, user or level.
  public mutating func narrow(by caveat: Caveat) throws(MacaroonError) {
    switch caveat {
    case .library(let name): try Self.keep(name, in: &library)
    case .app(let name): try Self.keep(name, in: &app)
    case .uid(let number): try Self.keep(number, in: &uid)
    case .level(let value): try Self.keep(value, in: &level)
    case .verbs(let some): verbs.formIntersection(some)
    case .before(let time): before = min(before ?? time, time)
    case .assets(let some): assets = assets?.intersection(some) ?? some
    case .album(let album): albums.insert(album)
    case .createdFrom(let time): createdFrom = max(createdFrom ?? time, time)
    case .createdBefore(let time): createdBefore = min(createdBefore ?? time, time)
    case .withholds(let facts): withheld.formUnion(facts)
    case .pixels(let edge):
      pixels = min(pixels ?? edge, edge)
      withheld.insert(.files)
    case .uses(let count): uses = min(uses ?? count, count)
    case .bytes(let count): bytes = min(bytes ?? count, count)
    }
  }

  /// The caveats with which a holder attenuates, budgets aside.
  public var attenuation: [Caveat] {
    var caveats: [Caveat] = []
    if verbs != .all { caveats.append(.verbs(verbs)) }
    if let before { caveats.append(.before(before)) }
    if let assets { caveats.append(.assets(assets)) }
    caveats += albums.sorted().map(Caveat.album)
    if let createdFrom { caveats.append(.createdFrom(createdFrom)) }
    if let createdBefore { caveats.append(.createdBefore(createdBefore)) }
    if !withheld.isEmpty { caveats.append(.withholds(withheld)) }
    if let pixels { caveats.append(.pixels(pixels)) }
    return caveats
  }

  private static func keep<Value: Equatable>(_ value: Value, in place: inout Value?) throws(MacaroonError) {
    if let present = place, present != value { throw .contradiction }
    place = value
  }
}
