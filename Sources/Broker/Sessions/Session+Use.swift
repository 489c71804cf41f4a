extension Session {
  /// Whether a token of this grant is attached here, or something was picked here under it.
  package func isUsing(_ grant: GrantState) -> Bool {
    attachments.contains { $0.grant === grant } || broker.pickers.picks(of: self).contains { $0.grant === grant }
  }

  /// When the next of the tokens that are attached ends by itself; nil where none will.
  package var nextTokenEnd: TokenEnd? {
    let ends = attachments.lazy.compactMap(\.end).filter { !$0.hasCome(self.broker.environment) }
    return ends.reduce(nil) { next, end in next.map(end.or) ?? end }
  }
}
