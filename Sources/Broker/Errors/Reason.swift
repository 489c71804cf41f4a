/// A reason for people, as a sentence, and for programs with messages of their own, as a code.
package struct Reason: Sendable, Hashable {
  package let code: Code
  /// In English, without secrets.
  package let text: String
  /// Values for the message, by name: numbers, statuses, names.
  package let values: [String: String]
  /// The single reasons, if there are several.
  package let parts: [Reason]

  package init(_ code: Code, _ text: String, _ values: [String: String] = [:], parts: [Reason] = []) {
    (self.code, self.text, self.values, self.parts) = (code, text, values, parts)
  }
}

extension Reason: CustomStringConvertible {
  package var description: String { text }
}
