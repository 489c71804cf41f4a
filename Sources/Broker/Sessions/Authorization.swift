package import PhotoModel

/// The answer to a request for access.
package struct Authorization {
  package let status: AuthorizationStatus
  /// The token, if the status gives access and the connection may have it. It is attached already.
  package let token: String?
}

extension AuthorizationStatus {
  /// R35, R36: an app from before limited mode reads `authorized`, and every other status as it is.
  package var levelUnaware: AuthorizationStatus { self == .limited ? .authorized : self }
}
