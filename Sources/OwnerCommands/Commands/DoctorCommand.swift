import Varlink

enum DoctorCommand {
  static let doctor = Command(
    "doctor", "Check an app's manifest against the steps of adoption", [.manifest],
    discussion: """
      The steps: need (most apps start from the picker), status (expect limited, ask on a person's action), affordance \
      (a button to change the selection), and the key that suppresses the automatic question. No broker is needed. \
      The exit status is 65 if something is an error.
      """
  ) { invocation throws(CommandError) in
    let path = invocation.arguments[.manifest]
    let check = ManifestCheck(try ManifestFile.read(path, console: invocation.console))
    let findings = check.findings.map { JSONValue.object($0.document) }
    try invocation.report(["passed": .bool(check.hasPassed), "findings": .array(findings)]) {
      let rows = check.findings.map { ($0.severity.rawValue, Optional("\($0.step.rawValue): \($0.message)")) }
      invocation.print(rows)
    }
    if !check.hasPassed {
      throw CommandError(.badData, "\(path) has errors, and an app with it will not work. Mend the lines marked error.")
    }
  }
}
