public import PhotoModel

/// Names by which an app finds assets and albums in another library or machine (R97 to R112).
///
/// A mapping is a pure function. On every machine the same item and application give the same name.
/// Another application gets another name, so that two apps cannot match their photos.
///
/// A mapping needs no reverse direction: the broker names all items that the app may see, and
/// compares. So the mapping never learns which name is searched, and never sees an item that the
/// app may not see. If several items have one name, a person chooses.
///
/// The broker makes one object and calls it from one thread, one call at a time. It runs in a
/// separate process (`photobroker-plugin-host`), or in the daemon if an administrator trusts the
/// plugin. If the process fails or times out, the items have no names.
///
/// Source: https://developer.apple.com/documentation/photos/phcloudidentifier
public protocol CloudMapping: AnyObject {
  /// - Throws: `invalidOption` for well-formed values that make no sense.
  init(options: PluginOptions) throws(PluginError)

  /// Returns a name for each item, in order. The timeout is 30 seconds.
  ///
  /// A name has 1 to 256 bytes of visible ASCII; nil means no name. An empty name fails the call.
  /// - Parameters:
  ///   - items: at most 1,000.
  ///   - application: the identifier in the asking app's manifest. It is not verified. An app that
  ///     claims another app's identifier gets that app's names, but only for its own visible items.
  /// - Throws: `offline`, `failed`.
  func cloudIdentifiers(for items: [CloudItem], application: String) throws(PluginError) -> [String?]
}

/// The facts that a cloud mapping learns about an item: never a file name, place or picture.
public enum CloudItem: Sendable, Hashable {
  /// The SHA-256 of the original file, 32 bytes.
  case asset(digest: [UInt8])
  /// The title and creation time.
  case album(title: String, created: Timestamp)
}
