import Broker
import BrokerInterface
import Catalogue
import Limits
import Macaroons
import PhotoModel
import UnixSocket
import Varlink

/// Introduction, tokens, and the authorization of apps.
struct AuthorizationMethods {
  let tokenEnds: TokenEnds
  let disclosures: Disclosures

  @MethodRows var methods: [Method] {
    Method(Library.Introduce.self, .open(introduce))
    Method(Library.Attach.self, .open(attach))
    Method(
      Library.MintChildToken.self,
      need: { call throws(CallFailure) in
        let parameters: Library.MintChildToken.Parameters = try call.parameters()
        return Method.Need(verbs: [], level: try AdminParameters.level(parameters.level))
      }, check: { call throws(CallFailure) in _ = try child(call) }, mintChildToken)
    Method(Library.ListLibraries.self, .open(listLibraries))
    Method(Library.GetAuthorizationStatus.self, .open(status))
    Method(Library.RequestAuthorization.self, .open(request))
    Method(Library.LevelUnawareAuthorizationStatus.self, .open(levelUnawareStatus))
    Method(Library.LevelUnawareRequestAuthorization.self, .open(levelUnawareRequest))
    Method(Library.DescribeAccess.self, .open(describeAccess))
    Method(Library.PresentLimitedLibraryPicker.self, .open(presentPicker))
    Method(Library.GetLimits.self, .open(limits))
  }

  private func introduce(_ call: IncomingCall, _ session: Session) throws(CallFailure) {
    let parameters: Library.Introduce.Parameters = try call.parameters()
    let manifest = try ManifestReader.read(parameters.manifest)
    let answer = call.replying { (introduction: Introduction) in
      Library.Introduce.Reply(app: introduction.app.identifier.description, token: introduction.token)
    }
    session.introduce(manifest, completion: answer)
  }

  private func attach(_ call: IncomingCall, _ session: Session) throws(CallFailure) {
    let parameters: Library.Attach.Parameters = try call.parameters()
    // A token read from a file may end with a line break.
    let token = parameters.token.last?.isNewline ?? false ? String(parameters.token.dropLast()) : parameters.token
    let attached = try decide(session.attach(token))
    tokenEnds.watch(call.connection, session)
    call.connection.allowDescriptors()
    call.reply(
      Library.Attach.Reply(
        app: attached.app.description, library: attached.grant?.library.description,
        level: attached.grant?.level.rawValue))
  }

  private func child(_ call: IncomingCall) throws(CallFailure) -> ChildTokenRequest {
    let parameters: Library.MintChildToken.Parameters = try call.parameters()
    return try TokenMethods.child(name: parameters.name, uid: parameters.uid, expires: parameters.expires)
  }

  private func mintChildToken(_ call: IncomingCall, _ authorized: AuthorizedCall) throws(CallFailure) {
    let answer = call.replying { (minted: AdminTokens.MintedToken) in
      Library.MintChildToken.Reply(token: minted.text, accessor: minted.accessor.description)
    }
    authorized.permit.session.mintChildToken(try child(call), under: authorized.permit, completion: answer)
  }

  private func listLibraries(_ call: IncomingCall, _ session: Session) throws(CallFailure) {
    let parameters: Library.ListLibraries.Parameters = try call.parameters()
    let page = try ListPage(session.libraries, after: parameters.cursor, key: \.description, \.description)
    call.reply(Library.ListLibraries.Reply(libraries: page.items, cursor: page.cursor))
  }

  private func status(_ call: IncomingCall, _ session: Session) throws(CallFailure) {
    let parameters: Library.GetAuthorizationStatus.Parameters = try call.parameters()
    let level = try LibraryMethods.level(parameters.level)
    let library = try LibraryMethods.library(parameters.library)
    let status = try decide(session.status(level, library: library))
    call.reply(Library.GetAuthorizationStatus.Reply(status: status.name, code: Int64(status.rawValue)))
  }

  private func request(_ call: IncomingCall, _ session: Session) throws(CallFailure) {
    let parameters: Library.RequestAuthorization.Parameters = try call.parameters()
    let level = try LibraryMethods.level(parameters.level)
    let library = try LibraryMethods.library(parameters.library)
    session.requestAuthorization(
      level: level, library: library, wait: parameters.wait ?? true,
      waits: { notice in
        guard call.call.more else { return }
        let status = AuthorizationStatus.notDetermined
        call.reply(
          Library.RequestAuthorization.Reply(
            status: status.name, code: Int64(status.rawValue),
            waiting: Library.Waiting(owners: notice.owners, shown: notice.isShown)), continues: true)
      },
      completion: call.answering { answer in
        call.connection.allowDescriptors()
        call.reply(
          Library.RequestAuthorization.Reply(
            status: answer.status.name, code: Int64(answer.status.rawValue), token: answer.token))
      })
  }

  private func levelUnawareStatus(_ call: IncomingCall, _ session: Session) throws(CallFailure) {
    let _: Library.LevelUnawareAuthorizationStatus.Parameters = try call.parameters()
    let status = try decide(session.status(.readWrite)).levelUnaware
    call.reply(Library.LevelUnawareAuthorizationStatus.Reply(status: status.name, code: Int64(status.rawValue)))
  }

  private func levelUnawareRequest(_ call: IncomingCall, _ session: Session) throws(CallFailure) {
    let _: Library.LevelUnawareRequestAuthorization.Parameters = try call.parameters()
    session.requestAuthorization(
      level: .readWrite, library: nil, wait: true,
      completion: call.answering { answer in
        call.connection.allowDescriptors()
        let status = answer.status.levelUnaware
        call.reply(
          Library.LevelUnawareRequestAuthorization.Reply(
            status: status.name, code: Int64(status.rawValue), token: answer.token))
      })
  }

  private func describeAccess(_ call: IncomingCall, _ session: Session) throws(CallFailure) {
    let parameters: Library.DescribeAccess.Parameters = try call.parameters()
    let level = try LibraryMethods.level(parameters.level)
    let library = try LibraryMethods.library(parameters.library)
    let access = try decide(session.describeAccess(level, library: library))
    call.reply(
      Library.DescribeAccess.Reply(
        library: access.library.description, level: access.level.rawValue, status: access.status.name,
        visible: Int64(access.visible),
        expires: access.expires?.microseconds, paused: access.isPaused, albumPolicy: access.albumPolicy,
        verbs: access.verbs.names, withheld: access.withheld.names, pixels: access.pixels.map { Int64($0) },
        tokenExpires: access.tokenExpires?.microseconds,
        tokenUses: access.uses, tokenBytes: access.bytes, limits: ServiceLimits.table))
  }

  private func presentPicker(_ call: IncomingCall, _ session: Session) throws(CallFailure) {
    let _: Library.PresentLimitedLibraryPicker.Parameters = try call.parameters()
    session.presentLimitedLibraryPicker { result in
      call.resume { () throws(CallFailure) in
        let (permit, numbers) = try decide(result.get())
        guard call.call.more || numbers.count <= ServiceLimits.columnLimit else {
          throw .photos(
            .limitExceeded, "The new selection is in force, but too long for one answer; fetch it, or call with more.")
        }
        tell(numbers[...], to: call, permit)
      }
    }
  }

  /// Sends an app the new assets of its selection, page by page, each after the one before has
  /// left.
  private func tell(_ numbers: ArraySlice<AssetNumber>, to call: IncomingCall, _ permit: Permit) {
    guard !call.isClosed else { return }
    let page = numbers.prefix(ServiceLimits.columnLimit)
    let rest = numbers[page.endIndex...]
    call.attempt { () throws(CallFailure) in
      let rows = page.compactMap { permit.library.catalogue.row(of: $0) }
      let added = try decide(permit.library.seals[permit.app].seal(rows.map(\.identifier)))
      try disclosures.noteMetadata(rows.map(\.facts), permit)
      call.reply(
        Library.PresentLimitedLibraryPicker.Reply(added: added.map(\.description)), under: permit,
        continues: !rest.isEmpty)
    }
    if !rest.isEmpty, !call.isAnswered { call.connection.whenDrained { tell(rest, to: call, permit) } }
  }

  private func limits(_ call: IncomingCall, _ session: Session) throws(CallFailure) {
    let _: Library.GetLimits.Parameters = try call.parameters()
    call.reply(Library.GetLimits.Reply(limits: ServiceLimits.table))
  }
}
