package import Macaroons
package import PhotoModel

/// All facts that decide an app's access.
package struct AccessDescription {
  package let library: LibraryName
  package let level: AccessLevel
  package let status: AuthorizationStatus
  /// Number of assets that the app sees with the attached token.
  package let visible: Int
  package let expires: Timestamp?
  package let isPaused: Bool
  package let albumPolicy: String
  /// The verbs that the attached token, the grant and the library's owner all allow.
  package let verbs: Verbs
  /// The facts that the app does not get.
  package let withheld: WithheldFacts
  /// The longest edge of each picture that stands for files; nil: the app gets files.
  package let pixels: Int?
  /// The attached token's own end; nil: it ends with the grant.
  package let tokenExpires: Timestamp?
  /// Calls and bytes that are left to the attached token; nil: not counted.
  package var uses: Int64?
  package var bytes: Int64?
}
