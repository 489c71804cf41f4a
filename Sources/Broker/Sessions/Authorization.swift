package import PhotoModel

/// The answer to a request for access.
package struct Authorization {
  package let status: AuthorizationStatus
  /// Present where the status grants access and the connection may have it. It is attached already.
  package let token: String?

  /// As apps from before limited mode are told: never `limited` (R35, R36).
  package var levelUnaware: Authorization { Authorization(status: status.levelUnaware, token: token) }
}

extension AuthorizationStatus {
  /// R35: apps from before limited mode read `authorized`.
  var levelUnaware: AuthorizationStatus { self == .limited ? .authorized : self }
}
