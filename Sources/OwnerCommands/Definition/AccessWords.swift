/// Words of the interface that a person types.
enum AccessWords {
  static let levels = ["addOnly", "readWrite"]
  static let statuses = ["authorized", "limited", "denied", "restricted", "notDetermined"]
  /// The bundled policies; others are plugins.
  static let albumPolicies = ["none", "own", "shared-read", "full"]
  static let mediaTypes = ["image", "video"]
  static let ruleAnswers = ["allow", "select", "deny", "keep", "restrict"]
  static let answers = ["allow", "select", "deny", "keep", "change", "cancel", "resume", "pause"]
}
