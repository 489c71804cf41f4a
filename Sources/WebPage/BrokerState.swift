import Synchronization
import Varlink

/// What the page shows of the broker as a whole, read again and again while somebody looks, so that
/// every page can wait for a change of it.
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

  /// What the broker answered, as members of an object; `null` where it could not be had.
  private struct Answers {
    private(set) var text: [UInt8] = []
    private(set) var isWhole = true

    mutating func add(_ name: String, _ answer: [UInt8]?) {
      if !text.isEmpty { text.append(UInt8(ascii: ",")) }
      text += Array("\"\(name)\":".utf8)
      text += answer ?? Array("null".utf8)
      if answer == nil { isWhole = false }
    }
  }

  private let links: BrokerLinks
  private let languages = Mutex(Languages())
  private let seldom = Mutex(KeptAnswer())

  /// Languages that are told apart; more make pages look more often than they need.
  private static let languageLimit = 16
  /// How often the broker is asked while a page waits.
  private static let interval = Duration.milliseconds(400)
  /// What is asked, and what the page calls it.
  private static let parts = [
    ("status", "GetStatus"), ("prompts", "ListPrompts"), ("libraries", "ListLibraries"), ("apps", "ListApps"),
    ("grants", "ListGrants"),
    ("pickers", "ListPickers"),
  ]
  /// The same for what changes less than once an hour; ``KeptAnswer`` says how often.
  private static let seldomParts = [("rules", "ListRules"), ("offers", "ListOffers")]

  package init(links: BrokerLinks) { self.links = links }

  /// The state once it is not the one of this version any longer, or after `limit`; `{"version":
  /// ..., "status": {...}, ...}`.
  ///
  /// - Parameter language: of the apps' own words.
  /// - Parameter isAbandoned: Whether nobody waits for the answer any more.
  package func changed(
    since version: Int, language: String, limit: Duration, isAbandoned: () -> Bool = { false }
  ) -> [UInt8] {
    let deadline = ContinuousClock.now + limit
    // A page that has nothing yet is shown what is now.
    if version == 0 { changedHere() }
    while true {
      let now = read(language)
      if now.version != version || ContinuousClock.now >= deadline || isAbandoned() {
        return Array("{\"version\":\(now.version),".utf8) + now.text + Array("}".utf8)
      }
      pause(Self.interval)
    }
  }

  /// A page changed something: all of it is asked for again.
  func changedHere() { seldom.withLock { $0.forget() } }

  private func readSeldom() -> [UInt8] {
    let now = ContinuousClock.now
    if let held = seldom.withLock({ $0.answer(now: now) }) { return held }
    let turn = seldom.withLock { $0.turn(now: now) }
    let answers = ask(Self.seldomParts)
    if answers.isWhole { seldom.withLock { $0.keep(answers.text, of: turn) } }
    return answers.text
  }

  private func ask(_ parts: [(String, String)], language: String? = nil) -> Answers {
    var answers = Answers()
    for (name, method) in parts {
      var parameters = JSONObject()
      if method == "ListPrompts", let language { parameters = ["language": .string(language)] }
      let answer = try? links.callForAll(method, parameters, list: name)
      answers.add(name, answer ?? nil)
    }
    return answers
  }

  private func read(_ language: String) -> Held {
    let text = ask(Self.parts, language: language).text + [UInt8(ascii: ",")] + readSeldom()
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
