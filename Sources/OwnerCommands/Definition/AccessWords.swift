/// Words of the interface that a person types.
enum AccessWords {
  static let levels = ["addOnly", "readWrite"]
  static let statuses = ["authorized", "limited", "denied", "restricted", "notDetermined"]
  /// The bundled policies; others are plugins.
  static let albumPolicies = ["none", "own", "shared-read", "full"]
  static let mediaTypes = ["image", "video"]
  static let ruleAnswers = ["allow", "select", "deny", "keep", "restrict"]
  /// The changes that a storage takes none of, as "no additions and no deletions"; empty for none.
  static func refused(_ verbs: [String]?, at level: String = "readWrite") -> String {
    [("add", "no additions"), ("delete", "no deletions")]
      .filter { verb, _ in verbs?.contains(verb) == true && (verb == "add" || level != "addOnly") }
      .map(\.1).joined(separator: " and ")
  }

  static let answers = ["allow", "select", "deny", "keep", "change", "cancel", "resume", "pause"]
}
