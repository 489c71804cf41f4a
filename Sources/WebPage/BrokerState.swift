import Synchronization
import Varlink

/// The broker's state as the page shows it. It is polled while a page waits for a change.
package final class BrokerState: Sendable {
  private struct Held {
    var version: Int
    var text: [UInt8]
  }

  /// One state per language of open pages; all share one version counter.
  private struct Languages {
    var lastVersion = 0
    var held: [String: Held] = [:]
  }

  /// The broker's replies as members of an object, `null` for a failed call.
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

  /// Languages cached at once; with more, pages poll more often than needed.
  private static let languageLimit = 16
  /// Polling interval while a page waits.
  private static let interval = Duration.milliseconds(400)
  /// Member names of the state, and the methods that fetch them.
  private static let parts = [
    ("status", "GetStatus"), ("prompts", "ListPrompts"), ("libraries", "ListLibraries"), ("apps", "ListApps"),
    ("grants", "ListGrants"),
    ("pickers", "ListPickers"), ("deletions", "ListDeletions"),
  ]
  /// Members that change less than once an hour; see ``KeptAnswer`` for their lifetime.
  private static let seldomParts = [("rules", "ListRules"), ("offers", "ListOffers")]

  package init(links: BrokerLinks) { self.links = links }

  /// Waits up to `limit` for a state newer than `version`, and returns it: `{"version": ...,
  /// "status": {...}, ...}`.
  ///
  /// - Parameters:
  ///   - language: The language of manifest texts.
  ///   - isAbandoned: Whether the browser has disconnected.
  package func changed(
    since version: Int, language: String, limit: Duration, isAbandoned: () -> Bool = { false }
  ) -> [UInt8] {
    let deadline = ContinuousClock.now + limit
    // A new page gets fresh answers.
    if version == 0 { changedHere() }
    while true {
      let now = read(language)
      if now.version != version || ContinuousClock.now >= deadline || isAbandoned() {
        return Array("{\"version\":\(now.version),".utf8) + now.text + Array("}".utf8)
      }
      pause(Self.interval)
    }
  }

  /// Drops cached answers after a change made by a page.
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
