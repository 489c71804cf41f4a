import BrokerInterface
import Limits

/// A sandbox's script: its setup, and its person's answers and actions.
struct SandboxScript {
  /// Limit of the file in bytes.
  static let limitBytes = 900_000
  static let help = """
    The script is JSON: {"library": "photos", "seed": "1", "clock": "2026-01-01T12:00:00Z", "answers": [{"kind": \
    "authorization", "level": "readWrite", "app": "org.example.journal", "answer": "select", "select": {"last": 3}, \
    "after": 0.5, "times": 1}, {"answer": "deny"}], "actions": [{"on": "fetches", "app": "org.example.journal", \
    "after": 1, "do": "unselect", "select": {"filename": "a.jpg"}}, {"after": 5, "do": "revoke", "app": \
    "org.example.journal"}]}. Every key may be left out. The first answer that fits a question and that it offers is \
    given to it; a question that none fits waits. Kinds and answers: authorization (select, allow, deny; for addOnly \
    allow, deny), keepSelection at an app's first fetch after each start but the one in which its photos were chosen \
    (keep, change), selection when an app asks for the page (select, cancel), allowance when an app took more photos \
    than it may (resume, pause), picker (pick: what was preselected and the choice; replace: the choice alone; \
    cancel), deletion when an app deletes photos (allow, deny). "after" is how many seconds the person thinks, \
    "times" how many questions the answer is good for. An action is done once: so many seconds after the library is \
    online, or after its app introduces itself, asks, fetches or opens for the first time. It is one of allow, limit, \
    deny, forget, for "level" (default: readWrite); revoke, pause, resume, for "level" (default: both); select, \
    unselect; advance, which moves the clock by "seconds"; and setClock, which sets it to "clock". The clock stands \
    still otherwise. Choices of assets have the names of the interface's Selector.
    """

  var library = "photos"
  var seed = "sandbox"
  /// Microseconds since 1970-01-01T00:00:00Z. Nil: the machine's time.
  var clock: Int64?
  var answers: [SandboxAnswer] = []
  var actions: [SandboxAction] = []

  init() {}

  /// - Throws: `badData` with the invalid entry.
  init(_ bytes: [UInt8], name: String) throws(CommandError) {
    let fields = try FileFields(file: bytes, name: name)
    try fields.check(["library", "seed", "clock", "answers", "actions"])
    library = try fields.text("library") ?? library
    guard LibraryCommands.isName(library) else {
      throw fields.wrong(
        "library must be a name of lower-case letters, digits and -, a letter first, of at most 64 characters")
    }
    seed = try fields.text("seed") ?? seed
    guard seed.utf8.count <= SandboxLimits.seedBytes else {
      throw fields.wrong("seed must be at most \(SandboxLimits.seedBytes) bytes long")
    }
    clock = try fields.clock()
    answers = try fields.objects("answers").map(Self.answer)
    actions = try fields.objects("actions").map(Self.action)
  }

  private static func answer(_ fields: FileFields) throws(CommandError) -> SandboxAnswer {
    try fields.check(["kind", "level", "app", "answer", "select", "after", "times"])
    guard let word = try fields.word("answer", of: SandboxAnswer.words) else { throw fields.wrong("answer is missing") }
    let picking = SandboxAnswer.Picking(rawValue: word)
    guard picking == nil || picking == .cancel || fields.has("select") else { throw fields.wrong("select is missing") }
    guard !fields.has("select") || SandboxAnswer.choosing.contains(word) else {
      throw fields.wrong("select stands beside \(SandboxAnswer.choosing.joined(separator: ", ")) only")
    }
    let (kind, level) = (
      try fields.word("kind", of: SandboxAnswer.kinds), try fields.word("level", of: AccessWords.levels.wires)
    )
    let fitting = SandboxAnswer.words(kind: kind, level: level)
    guard fitting.contains(word) else {
      throw fields.wrong(
        "no question of this kind and level is answered by \(word). Possible: \(fitting.joined(separator: ", "))")
    }
    return SandboxAnswer(
      kind: kind, level: level, app: try fields.text("app"), answer: word,
      selector: try fields.selector("select"), after: try fields.seconds("after") ?? 0, times: try fields.count("times")
    )
  }

  private static func action(_ fields: FileFields) throws(CommandError) -> SandboxAction {
    try fields.check(["do", "on", "app", "level", "select", "after", "seconds", "clock"])
    guard
      let verb = try fields.word("do", of: SandboxAction.Verb.allCases.map(\.rawValue)).flatMap({
        SandboxAction.Verb(rawValue: $0)
      })
    else { throw fields.wrong("do is missing") }
    var action = SandboxAction(verb: verb, app: try fields.text("app"))
    guard verb == .advance || verb == .setClock || action.app != nil else { throw fields.wrong("app is missing") }
    action.level = try fields.word("level", of: AccessWords.levels.wires)
    guard action.level == nil || verb.takesLevel else {
      let verbs = SandboxAction.Verb.allCases.filter(\.takesLevel).map(\.rawValue).joined(separator: ", ")
      throw fields.wrong("level stands beside \(verbs) only")
    }
    action.selector = try fields.selector("select")
    guard verb != .select && verb != .unselect || action.selector != nil else {
      throw fields.wrong("select is missing")
    }
    guard verb == .select || verb == .unselect || action.selector == nil else {
      throw fields.wrong("select stands beside select and unselect only")
    }
    guard (verb == .advance) == fields.has("seconds") else {
      throw fields.wrong(verb == .advance ? "seconds is missing" : "seconds stands beside advance only")
    }
    action.advance = Int64((try fields.seconds("seconds") ?? 0) * 1_000_000)
    guard verb == .setClock || !fields.has("clock") else { throw fields.wrong("clock stands beside setClock only") }
    if verb == .setClock {
      guard let clock = try fields.clock() else { throw fields.wrong("clock is missing") }
      action.clock = clock
    }
    action.on = try fields.word("on", of: SandboxAction.Moment.allCases.map(\.rawValue)).flatMap {
      SandboxAction.Moment(rawValue: $0)
    }
    guard action.on == nil || action.app != nil else { throw fields.wrong("app is missing") }
    guard action.on != nil || action.app == nil || verb != .advance && verb != .setClock else {
      throw fields.wrong(
        "the clock is no app's; app stands beside \(verb.rawValue) only where \"on\" says what of the app it waits for")
    }
    action.after = try fields.seconds("after") ?? 0
    return action
  }
}
