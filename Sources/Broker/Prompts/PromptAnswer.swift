package import PhotoModel

/// An answer to a prompt.
package enum PromptAnswer: String, Sendable, CaseIterable {
  case allow, select, deny, keep, change, cancel
  /// Ends a pause, or leaves it.
  case resume, pause

  /// Whether assets are chosen with it.
  package var choosesAssets: Bool { self == .select || self == .change }

  /// The answers that one kind of prompt offers (R21).
  package static func answers(to kind: PromptRecord.Kind, level: AccessLevel) -> [PromptAnswer] {
    switch kind {
    case .authorization: level == .readWrite ? [.allow, .select, .deny] : [.allow, .deny]
    case .keepSelection: [.keep, .change]
    case .selection: [.select, .cancel]
    case .allowance: [.resume, .pause]
    }
  }
}
