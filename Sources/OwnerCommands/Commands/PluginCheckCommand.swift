import Accounts
import Glibc
import PluginCheck
import PluginHost
import Supervisor
import Varlink

/// Checks a plugin in the way that the broker uses one.
enum PluginCheckCommand {
  private static let path = Operand(
    "PATH", "a shared object (.so), or a program that speaks io.photobroker.Plugin", values: .file)
  private static let kind = CommandOption(
    "protocol", "PROTOCOL", "storage, albumPolicy or cloudMapping (default: all that it has)",
    values: .words(PluginProtocol.allCases.map(\.rawValue)))
  private static let name = CommandOption("name", "NAME", "the plugin's name (default: all that it has)")
  private static let option = CommandOption("option", "KEY=VALUE", "an option of the plugin", count: .repeated)
  private static let credential = CommandOption(
    "credential", "OPTION=FILE", "a secret option of the plugin, from a file that only you can read", count: .repeated,
    values: .file)
  private static let network = CommandOption("network", "let the plugin use the network")
  private static let only = CommandOption(
    "only", "CHECK[,CHECK]", "run only these checks, named as in the report, and those that they need",
    count: .repeated)
  private static let changes = CommandOption(
    "changes", "also add and trash files; only for a storage that may be lost")

  private static let photos = CommandOption(
    "library-photos", "N",
    "how many photos a storage may list, 1 to 10,000,000 (default: 2,000,000), as photobrokerd has it")
  private static let inProcess = CommandOption(
    "in-process", "measure a shared object in this process as well: a crash of it ends the command")

  static let check = Command(
    "check", "Test a plugin, with and without faults, and measure it", [path],
    options: [kind, name, option, credential, network, only, changes, photos, inProcess],
    discussion: """
      Uses the plugin as the broker does, in processes of its own. It checks limits, equal answers to equal \
      questions, odd requests, readers that stop, cut connections, and processes that are killed at any moment. No \
      broker is needed or touched. The plugin runs with your rights: test a stranger's plugin as a user with nothing \
      to lose, and not as root. The exit status is 65 if a check failed.
      """
  ) { invocation throws(CommandError) in
    // Adopts orphaned processes of a plugin, so that they end with this command. It starts no
    // others.
    Descendants.adopt()
    let plugins = try plugins(invocation)
    let wanted = Set(invocation.arguments.all(only).flatMap { $0.split(separator: ",").map(String.init) })
    var unknown = wanted
    var documents: [JSONValue] = []
    var faulty: [String] = []
    for plugin in plugins {
      invocation.say("\(plugin.title), \(plugin.isProgram ? "a program" : "a shared object")")
      let report = CheckRun.check(plugin, only: wanted) { finding in
        if let line = line(finding, invocation) { invocation.print(line) }
      }
      unknown.subtract(report.names)
      for speed in report.speeds { invocation.print("speed    " + words(speed)) }
      var document = document(plugin, report)
      if invocation.arguments.has(inProcess) {
        let speeds = try speedsInProcess(plugin)
        for speed in speeds { invocation.print("in process: " + words(speed)) }
        document["inProcess"] = .object(numbers(speeds))
      }
      invocation.print(
        "\(report.count(.passed)) passed, \(report.count(.failed)) failed, \(report.count(.skipped)) skipped")
      documents.append(.object(document))
      if !report.hasPassed { faulty.append(plugin.title) }
    }
    // A failed run may have ended before the named check.
    if faulty.isEmpty, let unknown = unknown.min() {
      throw .usage("The plugin has no check \"\(unknown)\"; the report of all names them.")
    }
    try invocation.report(["passed": .bool(faulty.isEmpty), "plugins": .array(documents)]) {}
    if !faulty.isEmpty {
      throw CommandError(
        .badData, "\(faulty.joined(separator: ", ")): the plugin breaks its protocol. The lines marked FAILED say how.")
    }
  }

  private static func plugins(_ invocation: Invocation) throws(CommandError) -> [CheckedPlugin] {
    let arguments = invocation.arguments
    let options = try KeyValue.table(arguments.all(option), of: option.typed) ?? [:]
    let secrets = try CredentialFile(arguments.all(credential), of: credential.typed).values()
    let listed = try arguments.integer(photos, in: 1...10_000_000)
    var place = CheckedPlugin.Place(
      path: try AbsolutePath.resolve(arguments[path]), host: ProgramFolder.program("photobroker-plugin-host"))
    place.name = arguments[name]
    place.kind = arguments[kind].flatMap { PluginProtocol(rawValue: $0) }
    place.hasNetwork = arguments.has(network)
    try PluginSource.checkFolders(of: place.path)
    if let listed { place.limits.listedItems = Int(listed) }
    do throws(PluginFailure) {
      return try CheckedPlugin.all(
        at: place, settings: PluginSettings(options: options, secrets: secrets), mayChange: arguments.has(changes))
    } catch {
      throw CommandError(.badData, error.message)
    }
  }

  private static func line(_ finding: CheckReport.Finding, _ invocation: Invocation) -> String? {
    switch finding.outcome {
    case .passed: invocation.arguments.has(.quiet) ? nil : "passed   \(finding.check)"
    case .failed: "FAILED   \(finding.check): \(finding.message)"
    case .skipped: "skipped  \(finding.check): \(finding.message)"
    }
  }

  private static func words(_ speed: CheckReport.Speed) -> String {
    if speed.what == "bytes" { return "\(rounded(speed.perSecond / 1e6)) MB/s" }
    if speed.what == "starts" { return "\(rounded(1_000 / max(speed.perSecond, 0.001))) ms to start" }
    return "\(rounded(speed.perSecond)) \(speed.what)/s"
  }

  private static func numbers(_ speeds: [CheckReport.Speed]) -> JSONObject {
    var numbers: JSONObject = [:]
    for speed in speeds {
      numbers[speed.what + "PerSecond"] = .integer(Int64(max(1, min(speed.perSecond, 1e15))))
      if speed.what == "items" { numbers["items"] = .integer(Int64(speed.count)) }
    }
    return numbers
  }

  private static func speedsInProcess(_ plugin: CheckedPlugin) throws(CommandError) -> [CheckReport.Speed] {
    guard let path = plugin.program.arguments.first else {
      throw .usage("\(inProcess.typed) works for shared objects only, and this plugin is a program. Leave it out.")
    }
    do throws(PluginFailure) { return try InProcessSpeed.measure(plugin, path: path) } catch {
      throw CommandError(.badData, error.message)
    }
  }

  /// Rounds, because the measurement is precise to three digits at most.
  private static func rounded(_ value: Double) -> String {
    if value < 10 { return "\((value * 10).rounded() / 10)" }
    guard value < 1e15 else { return "very many" }
    return "\(Int64(value.rounded()))"
  }

  private static func document(_ plugin: CheckedPlugin, _ report: CheckReport) -> JSONObject {
    let findings = report.findings.map { finding -> JSONValue in
      var entry: JSONObject = [
        "check": .string(finding.check), "outcome": .string(finding.outcome.rawValue),
        "milliseconds": .integer(finding.milliseconds),
      ]
      if !finding.message.isEmpty { entry["message"] = .string(finding.message) }
      return .object(entry)
    }
    return [
      "protocol": .string(plugin.kind.rawValue), "name": .string(plugin.name), "passed": .bool(report.hasPassed),
      "checks": .array(findings), "speed": .object(numbers(report.speeds)),
    ]
  }
}
