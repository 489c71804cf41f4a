/// The object of a decision, beyond the record that administrators see too.
package enum DecisionSubject: Sendable, Equatable {
  /// The album, by its title after the decision, or before its deletion.
  case album(title: String)
  /// The rule after the decision, or before its removal.
  case rule(RuleRecord)

  /// Nil for decisions whose record is complete.
  package init?(_ change: DecisionChange) {
    switch change {
    case .album(let album):
      guard let title = album.after?.title ?? album.before?.title else { return nil }
      self = .album(title: title)
    case .rule(let before, let after):
      guard let rule = after ?? before else { return nil }
      self = .rule(rule)
    default: return nil
    }
  }
}
