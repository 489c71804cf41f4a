import Synchronization
import Varlink

/// What the page shows of the broker as a whole, read again and again while somebody looks, so that every page can wait for a
/// change of it.
package final class BrokerState: Sendable {
  private struct Held {
    var version = 0
    var language = "en"
    var text: [UInt8] = []
  }

  private let links: BrokerLinks
  private let held = Mutex(Held())

  /// How often the broker is asked while a page waits.
  private static let interval = Duration.milliseconds(400)
  /// What is asked, and what the page calls it.
  private static let parts = [
    ("status", "GetStatus"), ("prompts", "ListPrompts"), ("libraries", "ListLibraries"), ("apps", "ListApps"), ("grants", "ListGrants"),
    ("pickers", "ListPickers"),
  ]

  package init(links: BrokerLinks) { self.links = links }

  /// The state once it is not the one of this version any longer, or after `limit`; `{"version": ..., "status": {...}, ...}`.
  ///
  /// - Parameter language: of the apps' own words.
  package func changed(since version: Int, language: String, limit: Duration) -> [UInt8] {
    let deadline = ContinuousClock.now + limit
    while true {
      let now = read(language)
      if now.version != version || ContinuousClock.now >= deadline {
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
    return held.withLock { held in
      if held.text != text || held.language != language {
        held.version += 1
        held.text = text
        held.language = language
      }
      return held
    }
  }
}
