import Limits
import PhotoModel

/// The pending prompts: at most one for each app, library and level, stored across restarts,
/// limited in number.
final class PromptQueue {
  private var byKey: [GrantKey: Prompt] = [:]
  private var byIdentifier: [AppIdentifier: Prompt] = [:]
  var backoff = AskingBackoff()

  subscript(_ key: GrantKey) -> Prompt? { byKey[key] }
  subscript(_ identifier: AppIdentifier) -> Prompt? { byIdentifier[identifier] }

  /// The prompt that replaced one whose app changed its words.
  func renewed(_ former: AppIdentifier) -> Prompt? { byKey.values.first { $0.former.contains(former) } }

  /// Oldest first.
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

  /// Whether both the library and this user's apps there stay below their limits with one more
  /// prompt.
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
