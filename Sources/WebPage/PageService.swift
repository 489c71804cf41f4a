import BrokerInterface
import Synchronization
import Accounts
import Varlink

/// Answers browsers: page files for any program on this machine, the broker's replies for pages
/// with a session.
package final class PageService: Sendable {
  let links: BrokerLinks
  let state: BrokerState
  private let sessions: Sessions
  /// The time of the last login or activity.
  private let used = Mutex(ContinuousClock.now)

  /// The methods that a page may call. Only the command line may call the methods for secrets and
  /// broker state, for setting up and removing libraries, for naming administrators, and for serving
  /// pages. Folders and plugins have routes of their own, which take a path alone.
  package static let methods: Set<String> = [
    "GetStatus", "ListLibraries", "RescanLibrary", "ListApps", "ListGrants", "SetGrant", "DraftSelection",
    "EditSelection",
    "PauseGrant", "Revoke",
    "ListPrompts", "DraftAnswer", "AnswerPrompt",
    "ListTokens",
    "FetchOwnedAssets", "FetchOwnedColumns", "FetchSearchHints", "ListOwnedAlbums", "EditOwnedAlbum",
    "GetOwnedProgress", "GetOwnedDetails",
    "MarkAssets", "EditAsset", "ReadLedger",
    "ListDecisions", "UndoDecision",
    // Gives nobody access by itself, and can be undone like a grant.
    "OfferLibrary",
    // Offers to this user.
    "ListOffers", "AnswerOffer", "AnswerOffers",
    // Only about photos visible to apps anyway.
    "ShareOriginals",
    // Deleted photos go to the trash, where the owner can restore them.
    "AllowDeletions",
    // As the terms of a grant, which SetGrant sets.
    "SetDefaultTerms",
    // Restores photos that apps deleted.
    "FetchTrashedAssets", "RestoreAssets",
    // The rest of a list whose first 100 files ListLibraries has.
    "ListSkippedFiles",
    // Apply creates rules. Its grants give no more than SetGrant and EditSelection do.
    "ListRules", "Apply", "RemoveRule",
    "ListPickers", "AnswerPicker", "ListPickerApps", "ListDeletions", "AnswerDeletion",
    // Co-owners have to accept, and can be withdrawn.
    "DelegateLibrary",
    // For root and the broker's own user, apart from the list. Only an unused plugin is removed.
    "ListPlugins", "ReadPluginLog", "RemovePlugin",
  ]
  /// The only fields of methods whose others the command line alone sets.
  private static let fields = ["DelegateLibrary": ["name", "add", "remove"]]
  private static let previewLimitBytes = 32 << 20
  /// Timeout of a page's wait call.
  private static let waitLimit = Duration.seconds(20)

  package init(links: BrokerLinks, sessions: Sessions) {
    (self.links, self.sessions) = (links, sessions)
    state = BrokerState(links: links)
  }

  /// Whether a page is open, or was within `duration`.
  package func isUsed(within duration: Duration) -> Bool {
    !sessions.isEmpty || ContinuousClock.now - used.withLock { $0 } < duration
  }

  /// Whether this is a session's secret; does not count as activity.
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
    // Pages poll by themselves, so only `touch` counts as user activity.
    guard let session = request.session, sessions.admits(session, isPerson: route == .touch) else { return .locked }
    used.withLock { $0 = .now }
    if route == .lock || route == .leave {
      if route == .lock { sessions.endAll() } else { sessions.leave(session) }
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
      case .folder: return try folder(PathQuestion(asked, fields: ["path", "name", "letIn"]))
      case .plugin: return try plugin(PathQuestion(asked, fields: ["path", "install"]))
      case .call(let method):
        if let fields = Self.fields[method], !asked.entries.allSatisfy({ fields.contains($0.key) }) {
          return .badRequest(
            "The page's \(method) takes \(fields.joined(separator: ", ")) alone. For the rest: photobroker library "
              + "delegate.")
        }
        // Even a failed call may have changed something.
        defer { if !BrokerLinks.changesNothing(method) { state.changedHere() } }
        let reply = try links.call(method, asked)
        return reply.error == nil ? .json(reply.rawParameters) : .refused(reply, by: method)
      case .touch: return .json(Array("{}".utf8))
      case .session, .lock, .leave: return .notHere
      }
    } catch { return .failure(error) }
  }

  /// Exchanges a one-time code, or the secret of another session, for a session.
  private func begin(_ request: Request) -> Response {
    let asked: JSONObject
    do throws(VarlinkError) { asked = try JSONObject(message: request.body, rules: .client) } catch {
      return .badRequest(error)
    }
    if asked["code"] == nil, let known = request.session {
      return sessions.admits(known, isPerson: false) ? beginSession() : .locked
    }
    guard case .string(let code)? = asked["code"] else {
      return .badRequest("code is missing or not a text. To get one: photobroker open.")
    }
    do throws(PageError) {
      guard try links.call("RedeemPageCode", ["code": .string(code)] as JSONObject).error == nil else { return .locked }
    } catch { return .failure(error) }
    return beginSession()
  }

  private func beginSession() -> Response {
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

  /// Account names by uid, or the uid of a name. Looked up here and not in the broker, which must
  /// not wait for a directory service.
  private func accounts(_ question: AccountsQuestion) -> Response {
    var told = JSONObject()
    switch question {
    case .users(let users):
      var names = JSONObject()
      for user in users { names["\(user)"] = AccountNames.name(of: user).map { .string($0) } }
      told["names"] = .object(names)
    case .name(let name): told["user"] = AccountNames.number(name).map { .integer($0) }
    }
    var writer = JSONWriter()
    told.encode(to: &writer)
    return .json(writer.bytes)
  }

  /// A thumbnail encoded by the worker from pixels, never a file's own bytes.
  private func thumbnail(_ asked: JSONObject, _ request: Request) throws(PageError) -> Response {
    let method = "GetOwnedThumbnail"
    let reply = try links.call(method, asked, isAbandoned: request.isAbandoned)
    // The page retries 503, not a refusal.
    guard reply.error == nil else { return .refused(reply, by: method) }
    guard let answer = try? reply.decode(Admin.GetOwnedThumbnail.Reply.self), let bytes = Base64.decode(answer.data)
    else {
      throw PageError(
        .badReply,
        "The broker's picture cannot be read. Check that photobroker-web and photobrokerd have the same version.")
    }
    return Response(200, "image/jpeg", bytes)
  }

  /// A preview encoded by the worker. It is sent whole, because the session's secret is in a
  /// header, which no video element sends. The page plays and seeks within its copy.
  private func preview(_ asked: JSONObject, _ request: Request) throws(PageError) -> Response {
    let method = "GetOwnedPreview"
    switch try links.file(method, asked, limitBytes: Self.previewLimitBytes, isAbandoned: request.isAbandoned) {
    case .refused(let reply): return .refused(reply, by: method)
    case .bytes(let film): return .part(request.range, of: film, "video/webm")
    }
  }
}
