import Broker
import BrokerInterface
import Limits
import PhotoModel

/// Tokens that owners mint and list.
struct TokenMethods {
  @MethodRows var methods: [Method] {
    Method(Admin.MintToken.self, .administration(mintToken))
    Method(Admin.ListTokens.self, .administration(listTokens))
  }

  private func mintToken(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.MintToken.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library)
    let app = try AdminParameters.app(parameters.app)
    let level = try LibraryMethods.level(parameters.level)
    let answer = call.replying { (minted: AdminTokens.MintedToken) in
      Admin.MintToken.Reply(token: minted.text, accessor: minted.accessor.description)
    }
    guard let name = parameters.name else {
      guard parameters.uid == nil, parameters.expires == nil else {
        throw .invalid("name", "it is missing; only a token for a named helper takes uid and expires")
      }
      return session.tokens.mint(library: library, app: app, level: level, completion: answer)
    }
    let request = try Self.child(name: name, uid: parameters.uid, expires: parameters.expires)
    session.tokens.mintChild(request, library: library, app: app, level: level, completion: answer)
  }

  /// - Throws: `invalidParameter` for a name that people cannot read.
  static func child(name: String, uid: Int64?, expires: Int64?) throws(CallFailure) -> ChildTokenRequest {
    guard (1...BrokerLimits.appNameBytes).contains(name.utf8.count), name.isShowableAsName else {
      throw .invalid("name", "a name has 1 to \(BrokerLimits.appNameBytes) bytes that people can see")
    }
    return ChildTokenRequest(
      name: name, uid: uid.map { UInt32(clamping: $0) }, end: expires.map { Timestamp(microseconds: $0) })
  }

  private func listTokens(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ListTokens.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library)
    let app = try AdminParameters.app(parameters.app)
    let tokens = try decide(session.tokens.list(library: library, app: app))
    let page = try ListPage(
      tokens, after: parameters.cursor, key: { "\(String.key($0.minted.microseconds)) \($0.accessor)" }
    ) {
      Admin.TokenInfo(
        accessor: $0.accessor.description, library: $0.grant?.library.description, app: $0.app.description,
        level: $0.grant?.level.rawValue, minted: $0.minted.microseconds, revoked: $0.isRevoked,
        resting: session.tokens.isResting($0), parent: $0.child?.parent.description, name: $0.child?.name,
        uid: $0.child.map { Int64($0.uid) }, expires: $0.child?.end?.microseconds)
    }
    call.reply(Admin.ListTokens.Reply(tokens: page.items, cursor: page.cursor))
  }
}
