/// One option of a plugin, as its documentation and its error messages show it.
public struct PluginOption: Sendable {
  public enum Kind: Sendable, Equatable {
    case text
    case integer(ClosedRange<Int>)
    case flag
    case choice([String])
  }

  public var name: String
  public var kind: Kind
  /// Nil: the option must be given.
  public var defaultValue: String?
  /// Whether it may be left out without a default.
  public var isOptional: Bool
  /// What it does, with its unit.
  public var summary: String

  public init(_ name: String, _ kind: Kind, default defaultValue: String? = nil, optional: Bool = false, summary: String) {
    self.name = name
    self.kind = kind
    self.defaultValue = defaultValue
    isOptional = optional
    self.summary = summary
  }

  /// What the option allows, in words.
  public var allowed: String {
    switch kind {
    case .text: "a text"
    case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .flag: "true or false"
    case .choice(let words): "one of \(words.joined(separator: ", "))"
    }
  }

  func allows(_ value: String) -> Bool {
    switch kind {
    case .text: !value.isEmpty
    case .integer(let range): Int(value).map(range.contains) ?? false
    case .flag: value == "true" || value == "false"
    case .choice(let words): words.contains(value)
    }
  }
}
