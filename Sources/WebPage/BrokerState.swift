import Synchronization
import Varlink

/// What the page shows of the broker as a whole, read again and again while somebody looks, so that every page can wait for a
/// change of it.
package final class BrokerState: Sendable {
  private struct Held {
    var version: Int
    var text: [UInt8]
  }

  /// By language, in which pages are open; versions count for all of them together.
  private struct Languages {
    var lastVersion = 0
    var held: [String: Held] = [:]
  }

  private let links: BrokerLinks
  private let languages = Mutex(Languages())

  /// Languages that are told apart; more make pages look more often than they need.
  private static let languageLimit = 16
  /// How often the broker is asked while a page waits.
  private static let interval = Duration.milliseconds(400)
  /// What is asked, and what the page calls it.
  private static let parts = [
    ("status", "GetStatus"), ("prompts", "ListPrompts"), ("libraries", "ListLibraries"), ("apps", "ListApps"), ("grants", "ListGrants"),
    ("pickers", "ListPickers"), ("rules", "ListRules"), ("offers", "ListOffers"),
  ]

  package init(links: BrokerLinks) { self.links = links }

  /// The state once it is not the one of this version any longer, or after `limit`; `{"version": ..., "status": {...}, ...}`.
  ///
  /// - Parameter language: of the apps' own words.
  /// - Parameter isAbandoned: Whether nobody waits for the answer any more.
  package func changed(
    since version: Int, language: String, limit: Duration, isAbandoned: () -> Bool = { false }
  ) -> [UInt8] {
    let deadline = ContinuousClock.now + limit
    while true {
      let now = read(language)
      if now.version != version || ContinuousClock.now >= deadline || isAbandoned() {
        return Array("{\"version\":\(now.version),".utf8) + now.text + Array("}".utf8)
      }
      pause(Self.interval)
    }
  }

  private func read(_ language: String) -> Held {
    var text: [UInt8] = []
    for (name, method) in Self.parts {
      var parameters = JSONObject()
      if method == "ListPrompts" { parameters = ["language": .string(language)] }
      let answer = try? links.call(method, parameters)
      if !text.isEmpty { text.append(UInt8(ascii: ",")) }
      text += Array("\"\(name)\":".utf8)
      if let answer, answer.error == nil { text += answer.rawParameters } else { text += Array("null".utf8) }
    }
    return languages.withLock { languages in
      if let held = languages.held[language], held.text == text { return held }
      if languages.held.count >= Self.languageLimit { languages.held.removeAll() }
      languages.lastVersion += 1
      let now = Held(version: languages.lastVersion, text: text)
      languages.held[language] = now
      return now
    }
  }
}
