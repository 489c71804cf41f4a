extension Session {
  /// Whether a token of this grant is attached here, or something was picked here under it.
  package func isUsing(_ grant: GrantState) -> Bool {
    attachments.contains { $0.grant === grant } || broker.pickers.picks(of: self).contains { $0.grant === grant }
  }
}
