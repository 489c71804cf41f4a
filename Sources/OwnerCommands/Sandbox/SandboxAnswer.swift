import BrokerInterface

/// An answer of a sandbox's scripted person, with its conditions.
struct SandboxAnswer {
  static let kinds = ["authorization", "keepSelection", "selection", "allowance", "picker", "deletion"]
  static let words =
    AccessWords.answers.wires + Picking.allCases.map(\.rawValue).filter { !AccessWords.answers.wires.contains($0) }

  /// Answers that choose assets.
  static let choosing = ["select", "change"] + Picking.allCases.filter { $0 != .cancel }.map(\.rawValue)

  /// The answers that fit a kind and a level; nil: any.
  static func words(kind: String?, level: String?) -> [String] {
    let ofLevel = level == "addOnly" ? ["allow", "deny"] : ["select", "allow", "deny"]
    switch kind {
    case "authorization": return ofLevel
    case "keepSelection": return level == "addOnly" ? [] : ["keep", "change"]
    case "selection": return level == "addOnly" ? [] : ["select", "cancel"]
    case "allowance": return level == "addOnly" ? [] : ["resume", "pause"]
    case "deletion": return level == "addOnly" ? [] : ["allow", "deny"]
    case "picker": return level == nil ? Picking.allCases.map(\.rawValue) : []
    default: return level == nil ? words : level == "addOnly" ? ofLevel : AccessWords.answers.wires
    }
  }

  /// authorization, keepSelection, selection, allowance, picker or deletion. Nil: any.
  var kind: String?
  /// addOnly or readWrite. Nil: any.
  var level: String?
  /// The app's manifest identifier. Nil: any.
  var app: String?
  var answer: String
  var selector: Admin.Selector?
  /// The delay before the answer, in seconds of the real clock.
  var after: Double = 0
  /// How often the answer may be given. Nil: without limit.
  var times: Int64?

  func fits(_ prompt: Admin.PromptInfo) -> Bool {
    fits(prompt.kind, prompt.level, prompt.app) && prompt.answers.contains(answer)
  }

  private func fits(_ kind: String, _ level: String?, _ app: Admin.AppInfo) -> Bool {
    (self.kind ?? kind) == kind && (self.level ?? level) == level && (self.app ?? app.identifier) == app.identifier
      && times != 0
  }

  func allows(_ deletion: Admin.DeletionInfo) -> Bool? {
    fits("deletion", "readWrite", deletion.app) ? ["allow": true, "deny": false][answer] : nil
  }

  /// Answers to a picker: the choice after the preselected assets, the choice alone, or a
  /// cancellation.
  enum Picking: String, CaseIterable {
    case pick, replace, cancel
  }

  func picking(for picker: Admin.PickerInfo) -> Picking? {
    fits("picker", nil, picker.app) ? Picking(rawValue: answer) : nil
  }
}
