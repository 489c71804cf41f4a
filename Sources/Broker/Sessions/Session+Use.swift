extension Session {
  /// Whether a token of this grant is attached here, or the grant belongs to a pick on this
  /// connection.
  package func isUsing(_ grant: GrantState) -> Bool {
    attachments.contains { $0.grant === grant } || broker.pickers.picks(of: self).contains { $0.grant === grant }
  }

  /// The earliest end of the attached tokens; nil: none ends by itself.
  package var nextTokenEnd: TokenEnd? {
    let ends = attachments.lazy.compactMap(\.end).filter { !$0.hasCome(self.broker.environment) }
    return ends.reduce(nil) { next, end in next.map(end.or) ?? end }
  }
}
