import Monitor
import PluginHost

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
    /// Isolated and trusted runs of one storage must agree on the count of its items.
    package var count: Int

    /// The rate of a count since a time.
    init(_ what: String, _ count: Int, since begin: MonotonicTime) {
      self.what = what
      self.count = count
      perSecond = Double(count) * 1e9 / Double(max(1, MonotonicTime.now.nanoseconds - begin.nanoseconds))
    }
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

/// Fails the check, unless the condition holds.
/// - Throws: ``Complaint`` with these words; the errors of the condition.
func expect(_ condition: @autoclosure () throws -> Bool, _ words: @autoclosure () -> String) throws {
  if try !condition() { throw Complaint(words()) }
}

/// Makes a call that the plugin must not refuse.
/// - Throws: ``Complaint`` with these words and the plugin's own.
func expectSuccess(_ words: String, _ call: () throws -> Void) throws {
  do { try call() } catch let failure as PluginFailure { throw Complaint("\(words) \(failure.message)") }
}

/// Makes a call that the plugin must refuse.
/// - Returns: its refusal.
/// - Throws: ``Complaint`` with these words if the call succeeds.
func expectRefusal(_ words: String, _ call: () throws -> Void) throws -> PluginFailure {
  do { try call() } catch let failure as PluginFailure { return failure }
  throw Complaint(words)
}

/// The reason why a check tells nothing about the plugin.
struct Skip: Error {
  var reason: String
  init(_ reason: String) { self.reason = reason }
}
