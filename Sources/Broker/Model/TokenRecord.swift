package import PhotoModel

/// A record of an issued token, without its secret.
package struct TokenRecord: Sendable, Equatable {
  package var accessor: Accessor
  package var app: AppIdentifier
  /// Nil for the app's own token.
  package var grant: GrantKey?
  package var minted: Timestamp
  package var isRevoked: Bool
  /// Nil: the token of a grant, or of the app itself.
  package var child: ChildToken?

  /// Number of revoked tokens that are listed for each grant, and for each app's own token: the
  /// latest. Older ones are refused the same way.
  package static let revokedKept = 8

  package init(
    accessor: Accessor, app: AppIdentifier, grant: GrantKey?, minted: Timestamp, isRevoked: Bool,
    child: ChildToken? = nil
  ) {
    self.accessor = accessor
    self.app = app
    self.grant = grant
    self.minted = minted
    self.isRevoked = isRevoked
    self.child = child
  }

  /// The accessor of the grant's token, with which this one ends.
  var grantAccessor: Accessor { child?.parent ?? accessor }
}
