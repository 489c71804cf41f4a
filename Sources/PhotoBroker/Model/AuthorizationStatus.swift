/// The status of an app at one access level, with PhotoKit's numbers.
///
/// A status that this version does not know reads as ``denied``.
public enum AuthorizationStatus: Int, Hashable, Sendable, CaseIterable {
  /// The owner has not been asked yet.
  case notDetermined = 0
  /// An administrator forbids the access, and no request can change that.
  case restricted = 1
  /// The owner denied the access.
  case denied = 2
  /// The owner allowed full access.
  case authorized = 3
  /// The owner chose the photos that the app may see.
  case limited = 4

  init(word: String) {
    self = Self.allCases.first { String(describing: $0) == word } ?? .denied
  }

  /// Whether the app has any access.
  public var grantsAccess: Bool { self == .authorized || self == .limited }

  /// The status for apps written before limited mode: `authorized` instead of `limited`.
  var levelUnaware: Self { self == .limited ? .authorized : self }
}
