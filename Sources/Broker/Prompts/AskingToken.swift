import PhotoModel

/// The token that a question about a selection is asked under: the question has no point beyond it.
struct AskingToken {
  let accessor: Accessor
  /// When it ends by itself; of several that ask, the last of them. Nil: it does not.
  private(set) var end: TokenEnd?

  init(_ attachment: Attachment) {
    accessor = attachment.accessor
    end = attachment.end
  }

  /// Of a question that was kept: what a token asks that ends by itself is not.
  init(kept grant: GrantState) { accessor = grant.record.accessor }

  mutating func join(_ other: AskingToken) {
    guard let end, let otherEnd = other.end else { return end = nil }
    if end.time < otherEnd.time { self.end = otherEnd }
  }

  func hasEnded(_ environment: any Environment) -> Bool { end?.hasCome(environment) ?? false }
}
