package import PhotoModel

/// A token that was given out, without its secret.
package struct TokenRecord: Sendable, Equatable {
  package var accessor: Accessor
  package var app: AppIdentifier
  /// Nil for the app's own token.
  package var grant: GrantKey?
  package var minted: Timestamp
  package var isRevoked: Bool

  package init(accessor: Accessor, app: AppIdentifier, grant: GrantKey?, minted: Timestamp, isRevoked: Bool) {
    self.accessor = accessor
    self.app = app
    self.grant = grant
    self.minted = minted
    self.isRevoked = isRevoked
  }
}
