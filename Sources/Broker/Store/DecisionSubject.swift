/// What a decision was about, beyond what its record says to administrators too.
package enum DecisionSubject: Sendable, Equatable {
  /// By the title that it had after it, or before it was deleted.
  case album(title: String)
  /// As it was after it, or before it was removed.
  case rule(RuleRecord)

  /// Nil for decisions whose record says everything.
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
