import Monitor
import PluginHost
import PluginKit

/// One run of the checks over one plugin. Its process is restarted when a check ended it.
package final class CheckRun {
  let plugin: CheckedPlugin
  private(set) var report = CheckReport()
  private let only: Set<String>
  private let onFinding: (CheckReport.Finding) -> Void
  private var process: PluginProcess?
  /// The further processes of the present check.
  private var others: [PluginProcess] = []

  /// Checks on which others depend; they always run.
  private static let basic: Set = ["start", "capabilities", "facts", "list"]

  private init(_ plugin: CheckedPlugin, _ only: Set<String>, _ onFinding: @escaping (CheckReport.Finding) -> Void) {
    self.plugin = plugin
    self.only = only
    self.onFinding = onFinding
  }

  /// Checks a plugin. Blocks for seconds.
  /// - Parameters:
  ///   - only: names of the checks to run, in addition to those on which others depend; empty for
  ///     all.
  ///   - onFinding: called with each finding.
  package static func check(
    _ plugin: CheckedPlugin, only: Set<String> = [], onFinding: @escaping (CheckReport.Finding) -> Void = { _ in }
  ) -> CheckReport {
    let run = CheckRun(plugin, only, onFinding)
    defer { run.process?.end() }
    guard run.checkStart() else { return run.report }
    switch plugin.kind {
    case .storage: StorageChecks(run).all()
    case .albumPolicy: AlbumPolicyChecks(run).all()
    case .cloudMapping: CloudMappingChecks(run).all()
    }
    FaultChecks(run).all()
    return run.report
  }

  /// Runs one check, if it is selected, and records its finding.
  /// - Returns: false if it failed.
  @discardableResult
  func check(_ name: String, _ body: () throws -> Void) -> Bool {
    report.names.insert(name)
    guard only.isEmpty || only.contains(name) || Self.basic.contains(name) else { return true }
    let begin = MonotonicTime.now
    plugin.refusedCall.words = ""
    var (outcome, message) = (CheckReport.Outcome.passed, "")
    do {
      defer {
        for process in others where process.isRunning { process.end() }
        others = []
      }
      try body()
    } catch let skip as Skip {
      (outcome, message) = (.skipped, skip.reason)
    } catch let complaint as Complaint {
      (outcome, message) = (.failed, complaint.message)
    } catch let failure as PluginFailure {
      // A missing option is as likely the caller's mistake as the plugin's.
      let hint =
        failure.code == .invalidOption
        ? " Options are given with --option NAME=VALUE, secret ones with --credential NAME=FILE." : ""
      let call = plugin.refusedCall.words
      (outcome, message) = (
        .failed,
        "It answered with \(failure.code.rawValue)\(call.isEmpty ? "" : " to \(call)"): \(failure.message)\(hint)"
      )
    } catch {
      (outcome, message) = (.failed, "\(error)")
    }
    message = plugin.settings.redacted(message)
    if outcome == .failed, process?.isRunning == false { process = nil }
    let finding = CheckReport.Finding(
      check: name, outcome: outcome, message: message,
      milliseconds: (MonotonicTime.now.nanoseconds - begin.nanoseconds) / 1_000_000)
    report.findings.append(finding)
    onFinding(finding)
    return outcome != .failed
  }

  /// Records the rate of `body`, which returns a count.
  func measure(_ what: String, _ body: () throws -> Int) rethrows {
    let begin = MonotonicTime.now
    let count = try body()
    if count > 0 { report.speeds.append(CheckReport.Speed(what, count, since: begin)) }
  }

  func running() throws -> PluginProcess {
    if let process, process.isRunning { return process }
    let started = try PluginProcess(plugin)
    // A process that does not start ends with the check, and the next check starts another.
    others.append(started)
    try started.start()
    others.removeLast()
    process = started
    return started
  }

  /// Starts another process, which ends with the present check.
  /// - Parameter other: the plugin with other settings; nil: as it is.
  func fresh(_ other: CheckedPlugin? = nil) throws -> PluginProcess {
    let process = try PluginProcess(other ?? plugin)
    others.append(process)
    try process.start()
    return process
  }

  /// Makes a call that every plugin of its protocol answers.
  func probe(_ process: PluginProcess) throws { try process.probe(plugin.kind) }

  /// - Returns: false if the other checks cannot run.
  private func checkStart() -> Bool {
    let starts = check("start") {
      try measure("starts") {
        _ = try running()
        return 1
      }
    }
    guard starts else { return false }
    check("describe") { if !plugin.isDescribed { throw PluginDescription.missing } }
    return check("unknown-option") {
      let word = "no-such-option"
      var other = plugin
      other.settings.options[word] = "1"
      let failure = try expectRefusal(
        "It accepted an unknown option, so a misspelt one would be ignored. Answer invalidOption, with its name.",
        { _ = try fresh(other) })
      try expect(
        failure.code == .invalidOption && failure.message.contains(word),
        """
        It refused an unknown option with \(failure.code.rawValue): \(failure.message) Answer invalidOption, with \
        its name.
        """)
    }
  }
}
