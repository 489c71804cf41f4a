import BrokerInterface

/// One answer of a sandbox's scripted person, and the questions that it fits.
struct SandboxAnswer {
  /// What may be asked.
  static let kinds = ["authorization", "keepSelection", "selection", "picker"]
  /// What may be answered, to a question or to a picker.
  static let words = AccessWords.answers + Picking.allCases.map(\.rawValue).filter { !AccessWords.answers.contains($0) }

  /// Those that choose assets.
  static let choosing = ["select", "change"] + Picking.allCases.filter { $0 != .cancel }.map(\.rawValue)

  /// What can be answered to questions of a kind and a level; nil: of any.
  static func words(kind: String?, level: String?) -> [String] {
    let ofLevel = level == "addOnly" ? ["allow", "deny"] : ["select", "allow", "deny"]
    switch kind {
    case "authorization": return ofLevel
    case "keepSelection": return level == "addOnly" ? [] : ["keep", "change"]
    case "selection": return level == "addOnly" ? [] : ["select", "cancel"]
    case "picker": return level == nil ? Picking.allCases.map(\.rawValue) : []
    default: return level == nil ? words : level == "addOnly" ? ofLevel : AccessWords.answers
    }
  }

  /// authorization, keepSelection, selection or picker. Nil: any.
  var kind: String?
  /// addOnly or readWrite. Nil: any.
  var level: String?
  /// What the app's manifest calls itself. Nil: any.
  var app: String?
  var answer: String
  var selector: Admin.Selector?
  /// How long the person thinks, in seconds of the real clock.
  var after: Double = 0
  /// How many questions it answers. Nil: all that fit.
  var times: Int64?

  func fits(_ prompt: Admin.PromptInfo) -> Bool {
    (kind ?? prompt.kind) == prompt.kind && (level ?? prompt.level) == prompt.level
      && (app ?? prompt.app.identifier) == prompt.app.identifier && times != 0 && prompt.answers.contains(answer)
  }

  /// What a picker can be answered: the choice beside what was preselected, the choice alone, or nothing.
  enum Picking: String, CaseIterable {
    case pick, replace, cancel
  }

  func picking(for picker: Admin.PickerInfo) -> Picking? {
    guard (kind ?? "picker") == "picker", level == nil, (app ?? picker.app.identifier) == picker.app.identifier,
      times != 0
    else { return nil }
    return Picking(rawValue: answer)
  }
}
