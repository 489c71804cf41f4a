/// What an app may do at one level, with PhotoKit's numbers. The set is open: a client treats a status that it does
/// not know as `denied` (R5).
/// Source: https://developer.apple.com/documentation/photos/phauthorizationstatus
public enum AuthorizationStatus: Int, Sendable, Hashable, CaseIterable {
  /// Nobody has decided yet.
  case notDetermined = 0
  /// An administrator forbids it (R4).
  case restricted = 1
  /// The owner said no (R4).
  case denied = 2
  /// Nearly everything (R13).
  case authorized = 3
  /// The selection and nothing else; `readWrite` only (R9).
  case limited = 4

  /// The word on the wire.
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
