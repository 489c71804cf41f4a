package import Macaroons

/// A prompt as the owner sees it, with verified facts beside claimed ones (R28, R138).
package struct PromptView {
  package let prompt: PromptRecord
  /// Whether the person is the library's owner and not a co-owner of it.
  package let isOwn: Bool
  package let app: AppRecord
  /// Number of the app's open connections.
  package let connections: Int
  /// The app's reason in the best available language (R29).
  package let usageDescription: String
  package let answers: [PromptAnswer]
  /// Number of the app's own assets that join its selection with any answer (R43).
  package let joining: Int
  /// Number of assets of the earlier selection, from before the grant ended (R160).
  package let suggested: Int
  /// The changes that the storage takes none of, whatever the answer (R158).
  package let refusedByStorage: Verbs
  /// Whether the app asks to see photos and to change none.
  package let isReadOnly: Bool
  /// The terms of limited access if the answer names none. Nil: it has none.
  package let terms: GrantTerms?
}
