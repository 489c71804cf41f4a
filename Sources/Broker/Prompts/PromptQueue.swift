import Limits
import PhotoModel

/// The questions that wait for people: one for each app, library and level, kept across restarts, bounded.
final class PromptQueue {
  private var byKey: [GrantKey: Prompt] = [:]
  private var byIdentifier: [AppIdentifier: Prompt] = [:]
  var denials = DenialHistory()
  var dismissals = DismissalHistory()

  subscript(_ key: GrantKey) -> Prompt? { byKey[key] }
  subscript(_ identifier: AppIdentifier) -> Prompt? { byIdentifier[identifier] }

  /// The question that had this name before its app changed what it says.
  func renewed(_ former: AppIdentifier) -> Prompt? { byKey.values.first { $0.former.contains(former) } }

  /// The oldest first.
  var all: [Prompt] {
    byKey.values.sorted { ($0.record.asked, $0.record.identifier) < ($1.record.asked, $1.record.identifier) }
  }

  func insert(_ prompt: Prompt) {
    if let earlier = byKey.updateValue(prompt, forKey: prompt.record.key) {
      byIdentifier[earlier.record.identifier] = nil
    }
    byIdentifier[prompt.record.identifier] = prompt
  }

  func remove(_ prompt: Prompt) {
    if byKey[prompt.record.key] === prompt { byKey[prompt.record.key] = nil }
    byIdentifier[prompt.record.identifier] = nil
  }

  /// Whether there is room for one more question of this user's apps to this library's owner.
  func hasRoom(in library: LibraryName, for user: UInt32) -> Bool {
    var inLibrary = 0
    var ofUser = 0
    for prompt in byKey.values where prompt.record.key.library == library {
      inLibrary += 1
      if prompt.user == user { ofUser += 1 }
    }
    return inLibrary < BrokerLimits.promptsPerLibrary && ofUser < BrokerLimits.promptsPerUser
  }

  func stopWaiting(_ session: Session) {
    for prompt in byKey.values { prompt.stopWaiting(session) }
  }
}
