import BrokerInterface
import Synchronization
import Accounts
import Varlink

/// Answers browsers: the page's files to anybody on this machine, the broker's answers to the pages that were let in.
package final class PageService: Sendable {
  private let links: BrokerLinks
  private let state: BrokerState
  private let sessions: Sessions
  /// When somebody was last let in or did something.
  private let used = Mutex(ContinuousClock.now)

  /// What the page may call. Not among them: what hands out secrets or the state, what sets
  /// libraries and plugins up or takes them away, who else decides, and what serves pages; those
  /// are for the command line.
  package static let methods: Set<String> = [
    "GetStatus", "ListLibraries", "RescanLibrary", "ListApps", "ListGrants", "SetGrant", "DraftSelection",
    "EditSelection",
    "PauseGrant", "Revoke",
    "ListPrompts", "DraftAnswer", "AnswerPrompt",
    "ListTokens",
    "FetchOwnedAssets", "FetchOwnedColumns", "ListOwnedAlbums", "EditOwnedAlbum", "GetOwnedProgress", "GetOwnedDetails",
    "MarkAssets", "ReadLedger",
    "ListDecisions", "UndoDecision",
    // To whom a library is offered: no app of theirs sees a photo by that alone, and it is undone like a grant.
    "OfferLibrary",
    // What others offer to this user's own programs.
    "ListOffers", "AnswerOffer", "AnswerOffers",
    // Of photos that an app sees anyway.
    "ShareOriginals",
    // To the trash, from which the owner brings it back.
    "AllowDeletions",
    // What apps deleted comes back to where it was.
    "FetchTrashedAssets", "RestoreAssets",
    // An edit of the broker's own against what a file says: either is the owner's.
    "ListConflicts", "ResolveConflicts",
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

  /// Whether this is a session's secret; asking does not keep it unlocked.
  func knows(_ session: String) -> Bool { sessions.admits(session, isPerson: false) }

  package func answer(_ request: Request) -> Response {
    guard Gatekeeper.isOurs(host: request.host) else { return .foreign }
    if let file = PageFiles.all[request.path] {
      guard request.method == "GET" else { return .wrongMethod(allowed: "GET") }
      return Gatekeeper.admitsFile(request) ? file : .foreign
    }
    guard let route = Route(request.path) else { return .notHere }
    guard request.method == "POST" else { return .wrongMethod(allowed: "POST") }
    guard Gatekeeper.admitsCall(request) else { return .foreign }
    if route == .session { return begin(request) }
    // An open page asks all the time by itself. That somebody is there it says apart; nothing else keeps it unlocked.
    guard let session = request.session, sessions.admits(session, isPerson: route == .touch) else { return .locked }
    used.withLock { $0 = .now }
    if route == .lock {
      sessions.end(session)
      return .json(Array("{}".utf8))
    }
    do throws(VarlinkError) {
      return answer(route, try JSONObject(message: request.body, rules: .client), request)
    } catch {
      return .badRequest(error)
    }
  }

  private func answer(_ route: Route, _ asked: JSONObject, _ request: Request) -> Response {
    do throws(PageError) {
      switch route {
      case .wait: return try wait(WaitQuestion(asked), request)
      case .thumbnail: return try thumbnail(asked, request)
      case .preview: return try preview(asked, request)
      case .accounts: return accounts(try AccountsQuestion(asked))
      case .call(let method):
        // Also where no answer came of it.
        defer { if !BrokerLinks.changesNothing(method) { state.changedHere() } }
        let reply = try links.call(method, asked)
        return reply.error == nil ? .json(reply.rawParameters) : .refused(reply, by: method)
      case .touch: return .json(Array("{}".utf8))
      case .session, .lock: return .notHere
      }
    } catch { return .failure(error) }
  }

  /// Trades a one-time code for a session.
  private func begin(_ request: Request) -> Response {
    let asked: JSONObject
    do throws(VarlinkError) { asked = try JSONObject(message: request.body, rules: .client) } catch {
      return .badRequest(error)
    }
    guard case .string(let code)? = asked["code"] else {
      return .badRequest("code is missing or no text; photobroker open has one.")
    }
    do throws(PageError) {
      guard try links.call("RedeemPageCode", ["code": .string(code)] as JSONObject).error == nil else { return .locked }
    } catch { return .failure(error) }
    used.withLock { $0 = .now }
    return .json(
      Array("{\"session\":\"\(sessions.begin())\",\"lockSeconds\":\(sessions.idleLimit.components.seconds)}".utf8))
  }

  private func wait(_ question: WaitQuestion, _ request: Request) -> Response {
    .json(
      state.changed(
        since: question.version, language: question.language,
        limit: question.isHasty || question.version == 0 ? .zero : Self.waitLimit, isAbandoned: request.isAbandoned))
  }

  /// The names of those that have one, by number. Asked of this machine and not of the broker,
  /// which waits for no directory of accounts.
  private func accounts(_ question: AccountsQuestion) -> Response {
    var names = JSONObject()
    for user in question.users { names["\(user)"] = AccountNames.name(of: user).map { .string($0) } }
    var writer = JSONWriter()
    (["names": .object(names)] as JSONObject).encode(to: &writer)
    return .json(writer.bytes)
  }

  /// A picture that the media worker encoded from pixels: never the bytes of a file.
  private func thumbnail(_ asked: JSONObject, _ request: Request) throws(PageError) -> Response {
    let method = "GetOwnedThumbnail"
    let reply = try links.call(method, asked, isAbandoned: request.isAbandoned)
    // What there is no picture of is not asked for again; what could not be had now is.
    guard reply.error == nil else { return .refused(reply, by: method) }
    guard let answer = try? reply.decode(Admin.GetOwnedThumbnail.Reply.self), let bytes = Base64.decode(answer.data)
    else {
      throw PageError(.badReply, "The broker's picture cannot be read; are the versions the same?")
    }
    return Response(200, "image/jpeg", bytes)
  }

  /// The beginning of a video, which the media worker encoded anew. Whole, and small enough for
  /// that: the page keeps the secret in a header, which no video element sends, and plays and seeks
  /// in what it holds.
  private func preview(_ asked: JSONObject, _ request: Request) throws(PageError) -> Response {
    let method = "GetOwnedPreview"
    switch try links.file(method, asked, limitBytes: Self.previewLimitBytes, isAbandoned: request.isAbandoned) {
    case .refused(let reply): return .refused(reply, by: method)
    case .bytes(let film): return .part(request.range, of: film, "video/webm")
    }
  }
}
