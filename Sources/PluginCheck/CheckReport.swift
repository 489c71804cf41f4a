package struct CheckReport: Sendable {
  package enum Outcome: String, Sendable { case passed, failed, skipped }

  /// The result of one check of the protocol.
  package struct Finding: Sendable {
    /// A short stable name, such as `list-again`.
    package var check: String
    package var outcome: Outcome
    /// For a failure, the observation and a fix; for a skipped check, the reason; otherwise empty.
    package var message: String
    package var milliseconds: Int64
  }

  /// A measured speed, on this machine and in this run.
  package struct Speed: Sendable {
    /// The counted unit: `calls`, `items`, `bytes`, `albums`, `names`, `starts`.
    package var what: String
    package var perSecond: Double
    /// The count, if the plugin determines it. Isolated and trusted runs must agree on it.
    package var count: Int?
  }

  package var findings: [Finding] = []
  /// Names of all checks, including those that were not selected.
  package var names: Set<String> = []
  package var speeds: [Speed] = []

  package var hasPassed: Bool { !findings.contains { $0.outcome == .failed } }
  package func count(_ outcome: Outcome) -> Int { findings.count { $0.outcome == outcome } }
}

/// The failure of a check: the observation and a fix.
struct Complaint: Error {
  var message: String
  init(_ message: String) { self.message = message }
}

/// The reason why a check tells nothing about the plugin.
struct Skip: Error {
  var reason: String
  init(_ reason: String) { self.reason = reason }
}
