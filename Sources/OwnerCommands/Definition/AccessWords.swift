/// Words of the interface, as owners type and read them.
enum AccessWords {
  static let levels = OwnerWords([("see-and-change", "readWrite", nil), ("add-only", "addOnly", nil)])
  static let statuses = OwnerWords([
    ("full-access", "authorized", nil), ("selected-photos", "limited", nil), ("no-access", "denied", nil),
    ("blocked", "restricted", "blocked by the administrator"), ("not-asked", "notDetermined", "not asked yet"),
  ])
  static let ruleAnswers = OwnerWords([
    ("allow", "allow", nil), ("select", "select", nil), ("decline", "deny", nil), ("keep", "keep", nil),
    ("block", "restrict", nil),
  ])
  /// `decline` is `cancel` where a request about a selection offers that, see ``answer(_:among:)``.
  static let answers = OwnerWords([
    ("allow", "allow", nil), ("select", "select", nil), ("decline", "deny", nil), ("decline", "cancel", nil),
    ("keep", "keep", nil), ("change", "change", nil), ("resume", "resume", nil), ("pause", "pause", nil),
  ])
  /// Actions of decisions with another word for owners.
  static let actions = OwnerWords([
    ("decline", "deny", nil), ("decline", "cancel", nil), ("block", "restrict", nil),
    ("select", "limit", nil), ("remove-the-decision", "forget", nil),
  ])
  /// Ways of a decision with another word for owners.
  static let sources = OwnerWords([("request", "prompt", nil)])
  /// The bundled policies; others are plugins.
  static let albumPolicies = ["none", "own", "shared-read", "full"]
  static let mediaTypes = ["image", "video"]

  /// A grant's status at a level.
  static func status(_ status: String, at level: String?) -> String {
    status == "authorized" && level == "addOnly" ? "may add photos" : statuses.shown(status)
  }

  /// The interface's word of an answer that a request offers; nil if it does not.
  static func answer(_ typed: String, among offered: [String]) -> String? {
    offered.first { answers.shown($0) == answers.shown(answers.wire(typed)) }
  }

  /// The changes that a storage takes none of, as "no additions and no deletions"; empty for none.
  static func refused(_ verbs: [String]?, at level: String = "readWrite") -> String {
    [("add", "no additions"), ("delete", "no deletions")]
      .filter { verb, _ in verbs?.contains(verb) == true && (verb == "add" || level != "addOnly") }
      .map(\.1).joined(separator: " and ")
  }
}
