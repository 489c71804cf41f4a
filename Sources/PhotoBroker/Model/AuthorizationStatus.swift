/// What an app may do at one level, with PhotoKit's numbers.
///
/// The broker may learn words that this version does not know; they read as ``denied``.
public enum AuthorizationStatus: Int, Hashable, Sendable, CaseIterable {
  /// Nobody has been asked yet.
  case notDetermined = 0
  /// An administrator forbids it, and no request can change that.
  case restricted = 1
  /// The person said no.
  case denied = 2
  /// The person said yes, to everything.
  case authorized = 3
  /// The person chose the photos that the app may see.
  case limited = 4

  init(word: String) {
    self = Self.allCases.first { String(describing: $0) == word } ?? .denied
  }

  /// Whether the app may do something at all.
  public var grantsAccess: Bool { self == .authorized || self == .limited }

  /// As apps from before limited mode know it: `authorized` for `limited`.
  var levelUnaware: Self { self == .limited ? .authorized : self }
}
