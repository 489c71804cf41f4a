package import PhotoModel

/// What a person can say to a question.
package enum PromptAnswer: String, Sendable, CaseIterable {
  case allow, select, deny, keep, change, cancel

  /// Whether assets are chosen with it.
  package var choosesAssets: Bool { self == .select || self == .change }

  /// The answers to one kind of question (R21).
  package static func answers(to kind: PromptRecord.Kind, level: AccessLevel) -> [PromptAnswer] {
    switch kind {
    case .authorization: level == .readWrite ? [.allow, .select, .deny] : [.allow, .deny]
    case .keepSelection: [.keep, .change]
    case .selection: [.select, .cancel]
    }
  }
}
