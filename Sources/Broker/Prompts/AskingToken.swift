import PhotoModel

/// The token under which a prompt about a selection was opened. The prompt ends with it.
struct AskingToken {
  /// The accessor of the grant's token.
  let accessor: Accessor
  /// The child token that alone asked.
  private(set) var child: Accessor?
  /// The token's own end; for several tokens the latest. Nil: no end.
  private(set) var end: TokenEnd?

  init(_ attachment: Attachment) {
    accessor = attachment.grantAccessor
    child = attachment.isChild ? attachment.accessor : nil
    end = attachment.end
  }

  /// For a stored prompt, whose token has no end of its own: others are not stored.
  init(kept grant: GrantState) { accessor = grant.record.accessor }

  mutating func join(_ other: AskingToken) {
    if other.child != child { child = nil }
    guard let end, let otherEnd = other.end else { return end = nil }
    if end.time < otherEnd.time { self.end = otherEnd }
  }

  func hasEnded(_ environment: any Environment) -> Bool { end?.hasCome(environment) ?? false }
}
