/// The status of an app at one access level, with PhotoKit's numbers. The set is open: a client
/// treats an unknown status as `denied` (R5).
///
/// Source: https://developer.apple.com/documentation/photos/phauthorizationstatus
public enum AuthorizationStatus: Int, Sendable, Hashable, CaseIterable {
  /// Nobody has decided yet.
  case notDetermined = 0
  /// An administrator forbids the access (R4).
  case restricted = 1
  /// The owner denied the access (R4).
  case denied = 2
  /// Full access: all photos that are not hidden (R13).
  case authorized = 3
  /// The selection alone; `readWrite` only (R9).
  case limited = 4

  /// The name on the wire.
  public var name: String {
    switch self {
    case .notDetermined: "notDetermined"
    case .restricted: "restricted"
    case .denied: "denied"
    case .authorized: "authorized"
    case .limited: "limited"
    }
  }

  public init?(name: some StringProtocol) {
    guard let status = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = status
  }
}
