/// The bounds that a token is held to; each has a test that exceeds it by one.
public enum MacaroonLimits {
  /// The most bytes of a token in its binary form.
  public static let bytes = 4096
  /// The most caveats of a token.
  public static let caveats = 64
  /// The most bytes of a library's or an app's name in a caveat.
  public static let nameBytes = 128
}
