package import Macaroons
package import PhotoModel

/// Everything that decides what an app may do, in one answer.
package struct AccessDescription {
  package let library: LibraryName
  package let level: AccessLevel
  package let status: AuthorizationStatus
  /// Assets that the app can see with the token that is attached.
  package let visible: Int
  package let expires: Timestamp?
  package let isPaused: Bool
  package let albumPolicy: String
  /// What the attached token, the grant and the library's owner leave.
  package let verbs: Verbs
  /// When the attached token ends by itself; nil: with the grant.
  package let tokenExpires: Timestamp?
}
