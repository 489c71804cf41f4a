/// A question as the person who is asked sees it: what is verified beside what is only claimed (R28, R138).
package struct PromptView {
  package let prompt: PromptRecord
  /// Whether the library is the person's own, and not one that they are a co-owner of.
  package let isOwn: Bool
  package let app: AppRecord
  /// How many of the app's connections are open.
  package let connections: Int
  /// The app's own words in the best language there is (R29).
  package let usageDescription: String
  package let answers: [PromptAnswer]
  /// How many assets that the app added itself join its selection with the answer, whatever is chosen (R43).
  package let joining: Int
}
