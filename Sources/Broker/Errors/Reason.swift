/// Why something was not done, or what is wrong with something: a sentence for people, and a code
/// for programs that have words of their own for it.
package struct Reason: Sendable, Hashable {
  package let code: Code
  /// In English, without a secret.
  package let text: String
  /// What the words for the code are about, by name: numbers, statuses, names.
  package let values: [String: String]
  /// What it comes down to, where that is several things.
  package let parts: [Reason]

  package init(_ code: Code, _ text: String, _ values: [String: String] = [:], parts: [Reason] = []) {
    (self.code, self.text, self.values, self.parts) = (code, text, values, parts)
  }
}

extension Reason: CustomStringConvertible {
  package var description: String { text }
}
