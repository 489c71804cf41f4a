extension Session {
  /// Whether a token of this grant is attached here.
  package func isUsing(_ grant: GrantState) -> Bool { attachments.contains { $0.grant === grant } }
}
