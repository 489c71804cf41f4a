/// The uses that a token allows.
public struct Verbs: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Fetch assets, albums and bytes.
  public static let read = Verbs(rawValue: 1 << 0)
  /// Add assets.
  public static let add = Verbs(rawValue: 1 << 1)
  /// Change assets and albums.
  public static let edit = Verbs(rawValue: 1 << 2)
  /// Delete assets.
  public static let delete = Verbs(rawValue: 1 << 3)
  /// Observe changes; the changed assets need `read` as well.
  public static let observe = Verbs(rawValue: 1 << 4)
  /// Open the selection page.
  public static let pick = Verbs(rawValue: 1 << 5)
  /// Every verb.
  public static let all: Verbs = [.read, .add, .edit, .delete, .observe, .pick]

  private static let table: [(name: String, verb: Verbs)] = [
    ("read", .read), ("add", .add), ("edit", .edit), ("delete", .delete), ("observe", .observe), ("pick", .pick),
  ]

  /// The names of the verbs, in a fixed order.
  public var names: [String] { Self.table.filter { contains($0.verb) }.map(\.name) }

  /// The verb with this name; nil for an unknown name.
  public init?(name: some StringProtocol) {
    guard let verb = Self.table.first(where: { $0.name == name })?.verb else { return nil }
    self = verb
  }
}
