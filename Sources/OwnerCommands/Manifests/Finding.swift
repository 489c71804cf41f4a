import Varlink

/// One thing that `doctor` found in a manifest.
struct Finding: Equatable, Sendable {
  /// How much it matters.
  enum Severity: String, Sendable {
    /// As it should be.
    case ok
    /// Worth knowing; nothing is wrong.
    case advice
    /// Works, and surprises somebody.
    case warning
    /// Does not work.
    case error
  }

  /// The adoption step that it belongs to (R120).
  enum Step: String, Sendable {
    case manifest, need, status, affordance, suppressionKey
  }

  let severity: Severity
  let step: Step
  let message: String

  var document: JSONObject {
    ["severity": .string(severity.rawValue), "step": .string(step.rawValue), "message": .string(message)]
  }
}
