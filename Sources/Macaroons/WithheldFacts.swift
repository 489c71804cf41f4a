/// Facts of visible assets that a holder does not get (R150).
public struct WithheldFacts: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Places, in fields, filters and bytes.
  public static let location = WithheldFacts(rawValue: 1 << 0)
  /// Captions and the names of people.
  public static let captions = WithheldFacts(rawValue: 1 << 1)
  /// The files themselves; pictures of them are delivered.
  public static let files = WithheldFacts(rawValue: 1 << 2)
  /// Every fact that can be withheld.
  public static let all: WithheldFacts = [.location, .captions, .files]

  private static let table: [(name: String, fact: WithheldFacts)] = [
    ("location", .location), ("captions", .captions), ("files", .files),
  ]

  /// The names of the facts, in a fixed order.
  public var names: [String] { Self.table.filter { contains($0.fact) }.map(\.name) }

  /// The fact with this name; nil for an unknown name.
  public init?(name: some StringProtocol) {
    guard let fact = Self.table.first(where: { $0.name == name })?.fact else { return nil }
    self = fact
  }
}
