/// Every bound that the wire sets on what a peer can make us hold or do.
///
/// They are the defaults of the types that enforce them; each has a test that exceeds it by one.
public enum WireLimits {
  /// The longest message, in bytes, without its terminating NUL.
  public static let frameBytes = 1 << 20
  /// How deep objects and arrays may nest; the outermost one is level 1.
  public static let depth = 32
  /// The most elements of one array or entries of one map in a typed message.
  public static let arrayLength = 10_000
  /// The longest string of a typed message, in bytes of JSON text: base64 of 512 KiB.
  public static let stringBytes = 699_052
  /// The longest number, in bytes of JSON text; the longest exact Double needs 767 digits.
  public static let numberBytes = 1_100
  /// From how many whole calls on, received and not begun, no more bytes of a connection are read.
  public static let pendingCalls = 64
  /// The most bytes of one connection that may be received and not yet consumed.
  public static let receivedBytes = 2 << 20
  /// The most bytes of one connection that may be queued to be sent.
  public static let queuedBytes = 4 << 20
  /// The longest interface description, in bytes.
  public static let interfaceBytes = 1 << 18
  /// The most fields of one generated structure: one bit each tells which were seen.
  public static let structureFields = 64
}
