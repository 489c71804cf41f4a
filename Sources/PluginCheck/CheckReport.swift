/// What came of a check.
package struct CheckReport: Sendable {
  package enum Outcome: String, Sendable { case passed, failed, skipped }

  /// One thing that the protocol promises, and whether the plugin keeps it.
  package struct Finding: Sendable {
    /// A short name, the same in every version: `list-again`.
    package var check: String
    package var outcome: Outcome
    /// Where it failed: what was seen and what to do. Where it was skipped: why. Else empty.
    package var message: String
    package var milliseconds: Int64
  }

  /// How fast something was, on this machine and in this run.
  package struct Speed: Sendable {
    /// What was counted: `calls`, `items`, `bytes`, `albums`, `names`, `starts`.
    package var what: String
    package var perSecond: Double
    /// How many there were, where that is the plugin's answer and not the check's choice: two ways
    /// to run it must agree.
    package var count: Int?
  }

  package var findings: [Finding] = []
  /// Names of the checks that there were, those that were not wanted among them.
  package var names: Set<String> = []
  package var speeds: [Speed] = []

  package var hasPassed: Bool { !findings.contains { $0.outcome == .failed } }
  package func count(_ outcome: Outcome) -> Int { findings.count { $0.outcome == outcome } }
}

/// Why a check failed: what was seen, and what to do about it.
struct Complaint: Error {
  var message: String
  init(_ message: String) { self.message = message }
}

/// Why a check says nothing about the plugin.
struct Skip: Error {
  var reason: String
  init(_ reason: String) { self.reason = reason }
}
