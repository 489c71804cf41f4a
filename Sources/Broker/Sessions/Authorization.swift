package import PhotoModel

/// The answer to a request for access.
package struct Authorization {
  package let status: AuthorizationStatus
  /// The token, if the status gives access and the connection may have it. It is attached already.
  package let token: String?

  /// The answer for apps from before limited mode: never `limited` (R35, R36).
  package var levelUnaware: Authorization { Authorization(status: status.levelUnaware, token: token) }
}

extension AuthorizationStatus {
  /// The status for apps from before limited mode, which read `authorized` instead of `limited`
  /// (R35).
  var levelUnaware: AuthorizationStatus { self == .limited ? .authorized : self }
}
