/// The words of the interface that a person types, with the spellings that are taken for them.
enum AccessWords {
  static let levels = ["addOnly", "readWrite"]
  static let statuses = ["authorized", "limited", "denied", "restricted", "notDetermined"]
  /// The bundled ones; others are plugins of their own.
  static let albumPolicies = ["none", "own", "shared-read", "full"]
  static let mediaTypes = ["image", "video"]
  static let ruleAnswers = ["allow", "select", "deny", "keep", "restrict"]
  static let answers = ["allow", "select", "deny", "keep", "change", "cancel"]
}
