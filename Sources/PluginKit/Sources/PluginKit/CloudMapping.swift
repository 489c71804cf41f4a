public import PhotoModel

/// Names assets and albums so that the same app finds them again in another library, on another
/// machine (R97 to R112).
///
/// A mapping is a function of what it is given and of nothing else that differs between machines:
/// the same item and the same application give the same name everywhere, and another application
/// gets another one, so that two apps cannot compare notes.
///
/// There is one direction to write. For the way back the broker has what an app may see named, and
/// compares: a mapping never learns what is looked for, is never told of an item that the asking
/// app may not see, and cannot answer one. Items that it gives one name are the ambiguous case,
/// from which a person chooses.
///
/// The broker makes one object and calls it from one thread, one call after the other, in a process
/// of its own (`photobroker-plugin-host`) unless an administrator marked the plugin as trusted. A
/// mapping whose process fails or does not answer in time maps nothing. Source:
/// https://developer.apple.com/documentation/photos/phcloudidentifier
public protocol CloudMapping: AnyObject {
  /// - Throws: `invalidOption` for values that are well-formed and make no sense.
  init(options: PluginOptions) throws(PluginError)

  /// A name for each item, in order: 1 to 256 bytes of visible ASCII. Nil: this one cannot be
  /// named; an empty text is a fault, and the whole call fails. Deadline: 30 seconds.
  ///
  /// - Parameters:
  ///   - items: At most 1,000.
  ///   - application: The identifier in the manifest of the app that the names are for. It is only
  ///     claimed: an app that takes another one's identifier gets that one's names, for what it may
  ///     see itself.
  /// - Throws: `offline`, `failed`.
  func cloudIdentifiers(for items: [CloudItem], application: String) throws(PluginError) -> [String?]
}

/// What a cloud mapping is told of an asset or an album; never a file name, a place or a picture.
public enum CloudItem: Sendable, Hashable {
  /// The SHA-256 of the stored original, 32 bytes.
  case asset(digest: [UInt8])
  /// What an album is called, and when it was made.
  case album(title: String, created: Timestamp)
}
