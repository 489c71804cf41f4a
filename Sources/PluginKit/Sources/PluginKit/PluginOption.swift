/// One option of a plugin, with its documentation.
public struct PluginOption: Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    case text
    /// An absolute path on this machine.
    case path
    case integer(ClosedRange<Int>)
    case flag
    case choice([String])
  }

  /// The name: 1 to 64 letters, digits and hyphens.
  public var name: String
  public var kind: Kind
  /// The unit of the value, such as `seconds`; nil if it has none.
  public var unit: String?
  /// The default; an option without one is mandatory, unless ``isOptional``.
  public var defaultValue: String?
  /// Whether the option may be absent although it has no default.
  public var isOptional: Bool
  /// Whether the value is a password, a key, or a configuration that holds one. It is set apart
  /// from other options and kept in a file that only the broker's user can read. No log, answer or
  /// command line ever shows it. It may have several lines.
  public var isSecret: Bool
  /// The purpose: one English sentence for people.
  public var summary: String

  public init(
    _ name: String, _ kind: Kind, unit: String? = nil, default defaultValue: String? = nil, optional: Bool = false,
    secret: Bool = false, summary: String
  ) {
    self.name = name
    self.kind = kind
    self.unit = unit
    self.defaultValue = defaultValue
    isOptional = optional
    isSecret = secret
    self.summary = summary
  }

  /// The allowed values, in words.
  public var allowed: String {
    switch kind {
    case .text: "a text that is not empty"
    case .path: "an absolute path"
    case .integer(let range):
      "a whole number\(unit.map { " of \($0)" } ?? "") from \(range.lowerBound) to \(range.upperBound)"
    case .flag: "true or false"
    case .choice(let words): "one of \(words.joined(separator: ", "))"
    }
  }

  /// Whether a value is allowed.
  public func allows(_ value: String) -> Bool {
    switch kind {
    case .text: !value.isEmpty && !value.utf8.contains(0)
    case .path: value.utf8.first == UInt8(ascii: "/") && !value.utf8.contains { $0 < 0x20 || $0 == 0x7f }
    // Swift parses a leading plus; other languages do not.
    case .integer(let range): Int(value).map(range.contains) ?? false && value.utf8.first != UInt8(ascii: "+")
    case .flag: value == "true" || value == "false"
    case .choice(let words): words.contains(value)
    }
  }
}
