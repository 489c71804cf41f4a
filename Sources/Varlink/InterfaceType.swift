/// A type of the interface language.
public indirect enum InterfaceType: Hashable, Sendable {
  /// `bool`
  case bool
  /// `int`, 64 bits
  case int
  /// `float`
  case float
  /// `string`
  case string
  /// `object`: any JSON object
  case object
  /// A type of the same interface, by its name.
  case named(String)
  /// `?T`: absent and null mean the same
  case optional(InterfaceType)
  /// `[]T`
  case array(InterfaceType)
  /// `[string]T`
  case map(InterfaceType)
  /// `(name: T, ...)`
  case structure([InterfaceField])
  /// `(one, two)`
  case enumeration([InterfaceField])
}
