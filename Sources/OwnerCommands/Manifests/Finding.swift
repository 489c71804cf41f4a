import Varlink

/// A finding of `doctor` about a manifest.
struct Finding: Equatable, Sendable {
  enum Severity: String, Sendable {
    /// Correct.
    case ok
    /// Correct, with a hint.
    case advice
    /// Works, with an effect that may surprise.
    case warning
    /// Does not work.
    case error
  }

  /// The adoption step of the finding (R120).
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
