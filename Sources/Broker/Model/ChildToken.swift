package import PhotoModel

/// The facts of a token that was made from a grant's token for a helper program (R155).
package struct ChildToken: Sendable, Equatable {
  /// The accessor of the grant's token, with which the child ends.
  package var parent: Accessor
  /// For people.
  package var name: String
  /// The user whose processes may attach it.
  package var uid: UInt32
  /// Nil: the end of the grant's token.
  package var end: Timestamp?

  package init(parent: Accessor, name: String, uid: UInt32, end: Timestamp?) {
    self.parent = parent
    self.name = name
    self.uid = uid
    self.end = end
  }
}

/// A request for a child token.
package struct ChildTokenRequest: Sendable {
  package var name: String
  /// Nil: the app's user.
  package var uid: UInt32?
  package var end: Timestamp?

  package init(name: String, uid: UInt32?, end: Timestamp?) {
    self.name = name
    self.uid = uid
    self.end = end
  }
}
