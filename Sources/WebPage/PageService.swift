import BrokerInterface
import Synchronization
import Varlink

/// Answers browsers: the page's files to anybody on this machine, the broker's answers to the pages that were let in.
package final class PageService: Sendable {
  private let links: BrokerLinks
  private let state: BrokerState
  private let sessions: Sessions
  /// When somebody was last let in or did something.
  private let used = Mutex(ContinuousClock.now)

  /// What the page may call. Not among them: what hands out secrets or the state, what sets libraries and plugins up or takes
  /// them away, who else decides, and what serves pages; those are for the command line.
  package static let methods: Set<String> = [
    "GetStatus", "ListLibraries", "RescanLibrary", "ListApps", "ListGrants", "SetGrant", "EditSelection", "PauseGrant", "Revoke",
    "ListPrompts", "DraftAnswer", "AnswerPrompt",
    "ListTokens",
    "FetchOwnedAssets", "FetchOwnedColumns", "ListOwnedAlbums", "GetOwnedProgress", "MarkAssets", "ReadLedger", "ListDecisions",
    "UndoDecision",
    // To whom a library is offered: no app of theirs sees a photo by that alone, and it is undone like a grant.
    "OfferLibrary",
    // What apps deleted comes back to where it was.
    "FetchTrashedAssets", "RestoreAssets",
    // Rules are made by Apply. The grants that it could set as well are no more than SetGrant and EditSelection set.
    "ListRules", "Apply", "RemoveRule",
    "ListPickers", "AnswerPicker", "ListPickerApps", "ListPlugins",
  ]
  private static let previewLimitBytes = 32 << 20
  /// How long a page waits for a change before it is answered all the same.
  private static let waitLimit = Duration.seconds(20)

  package init(links: BrokerLinks, sessions: Sessions) {
    (self.links, self.sessions) = (links, sessions)
    state = BrokerState(links: links)
  }

  /// Whether a page is open, or was within this time.
  package func isUsed(within duration: Duration) -> Bool {
    !sessions.isEmpty || ContinuousClock.now - used.withLock { $0 } < duration
  }

  package func answer(_ request: Request) -> Response {
    if request.method == "GET" {
      guard Gatekeeper.admitsFile(request) else { return .refusal(403) }
      return PageFiles.all[request.path] ?? .refusal(404)
    }
    guard Gatekeeper.admitsCall(request) else { return .refusal(403) }
    if request.path == "/session" { return begin(request) }
    // An open page asks all the time by itself. That somebody is there it says apart; nothing else keeps it unlocked.
    guard sessions.admits(request.session, isPerson: request.path == "/touch") else { return .refusal(401) }
    used.withLock { $0 = .now }
    switch request.path {
    case "/wait": return wait(request)
    case "/touch": return .json(Array("{}".utf8))
    case "/lock":
      if let session = request.session { sessions.end(session) }
      return .json(Array("{}".utf8))
    case "/thumbnail": return thumbnail(request)
    case "/preview": return preview(request)
    default:
      guard request.path.hasPrefix("/call/") else { return .refusal(404) }
      return call(String(request.path.dropFirst("/call/".count)), request)
    }
  }

  /// Trades a one-time code for a session.
  private func begin(_ request: Request) -> Response {
    guard let asked = try? JSONObject(message: request.body, rules: .client), case .string(let code)? = asked["code"] else {
      return .refusal(400)
    }
    do throws(PageError) {
      guard try links.call("RedeemPageCode", ["code": .string(code)] as JSONObject).error == nil else { return .refusal(401) }
    } catch { return .refusal(503) }
    used.withLock { $0 = .now }
    return .json(Array("{\"session\":\"\(sessions.begin())\",\"lockSeconds\":\(sessions.idleLimit.components.seconds)}".utf8))
  }

  private func wait(_ request: Request) -> Response {
    guard let asked = try? JSONObject(message: request.body, rules: .client) else { return .refusal(400) }
    var version = 0
    if case .integer(let number)? = asked["version"] { version = Int(clamping: number) }
    var language = "en"
    if case .string(let text)? = asked["language"] { language = text }
    var limit = version == 0 ? Duration.zero : Self.waitLimit
    if case .bool(true)? = asked["isHasty"] { limit = .zero }
    return .json(state.changed(since: version, language: language, limit: limit, isAbandoned: request.isAbandoned))
  }

  private func call(_ method: String, _ request: Request) -> Response {
    guard Self.methods.contains(method) else { return .refusal(404) }
    guard let parameters = try? JSONObject(message: request.body, rules: .client) else { return .refusal(400) }
    do throws(PageError) {
      let reply = try links.call(method, parameters)
      guard let error = reply.error else { return .json(reply.rawParameters) }
      return Response(
        422, "application/json", Array("{\"error\":\"\(error)\",\"parameters\":".utf8) + reply.rawParameters + Array("}".utf8))
    } catch { return .refusal(error.code == .badRequest ? 400 : 503) }
  }

  /// A picture that the media worker encoded from pixels: never the bytes of a file.
  private func thumbnail(_ request: Request) -> Response {
    guard let parameters = try? JSONObject(message: request.body, rules: .client) else { return .refusal(400) }
    do throws(PageError) {
      let reply = try links.call("GetOwnedThumbnail", parameters, isAbandoned: request.isAbandoned)
      // What there is no picture of is not asked for again; what could not be had now is.
      if let error = reply.error { return .refusal(error == "\(Admin.NotFound.name)" ? 404 : 503) }
      guard let answer = try? reply.decode(Admin.GetOwnedThumbnail.Reply.self), let bytes = Base64Text.decode(answer.data) else {
        return .refusal(502)
      }
      return Response(200, "image/jpeg", bytes)
    } catch { return .refusal(503) }
  }

  /// The beginning of a video, which the media worker encoded anew. Whole, and small enough for that: the page keeps the
  /// secret in a header, which no video element sends, and plays and seeks in what it holds.
  private func preview(_ request: Request) -> Response {
    guard let parameters = try? JSONObject(message: request.body, rules: .client) else { return .refusal(400) }
    do throws(PageError) {
      guard let film = try links.file("GetOwnedPreview", parameters, limitBytes: Self.previewLimitBytes, isAbandoned: request.isAbandoned)
      else { return .refusal(404) }
      return .part(request.range, of: film, "video/webm")
    } catch { return .refusal(error.code == .badReply ? 502 : 503) }
  }
}
