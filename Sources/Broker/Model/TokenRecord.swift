package import PhotoModel

/// A token that was given out, without its secret.
package struct TokenRecord: Sendable, Equatable {
  package var accessor: Accessor
  package var app: AppIdentifier
  /// Nil for the app's own token.
  package var grant: GrantKey?
  package var minted: Timestamp
  package var isRevoked: Bool

  /// Revoked tokens of each grant, and of each app's own, that are still known as such: the latest.
  /// One that is known no more is refused alike.
  package static let revokedKept = 8

  package init(accessor: Accessor, app: AppIdentifier, grant: GrantKey?, minted: Timestamp, isRevoked: Bool) {
    self.accessor = accessor
    self.app = app
    self.grant = grant
    self.minted = minted
    self.isRevoked = isRevoked
  }
}
