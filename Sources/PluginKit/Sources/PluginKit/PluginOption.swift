/// One option of a plugin, as its documentation and its error messages show it.
public struct PluginOption: Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    case text
    /// An absolute path on this machine.
    case path
    case integer(ClosedRange<Int>)
    case flag
    case choice([String])
  }

  /// 1 to 64 letters, digits and hyphens.
  public var name: String
  public var kind: Kind
  /// What the value counts, such as `seconds`. Nil: it has no unit.
  public var unit: String?
  /// Nil: the option must be given.
  public var defaultValue: String?
  /// Whether it may be left out without a default.
  public var isOptional: Bool
  /// A password, a key, or a configuration that has one. It is given apart from other options, is
  /// kept in a file that only the broker's user can read, and is never shown again: not in a log,
  /// not in an answer, not on a command line. May have lines.
  public var isSecret: Bool
  /// What it does: one sentence, in English, for people.
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

  /// What the option allows, in words.
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

  /// Whether it can have this value.
  public func allows(_ value: String) -> Bool {
    switch kind {
    case .text: !value.isEmpty && !value.utf8.contains(0)
    case .path: value.utf8.first == UInt8(ascii: "/") && !value.utf8.contains { $0 < 0x20 || $0 == 0x7f }
    // In Swift a plus is one more way to write it, in other languages none.
    case .integer(let range): Int(value).map(range.contains) ?? false && value.utf8.first != UInt8(ascii: "+")
    case .flag: value == "true" || value == "false"
    case .choice(let words): words.contains(value)
    }
  }
}
