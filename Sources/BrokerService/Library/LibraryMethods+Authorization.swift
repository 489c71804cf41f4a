import Broker
import BrokerInterface
import Catalogue
import Limits
import Macaroons
import PhotoModel
import UnixSocket
import Varlink

extension LibraryMethods {
  static let authorization: [Method] = [
    Method(Library.Introduce.self, .open(introduce)),
    Method(Library.Attach.self, .open(attach)),
    Method(Library.ListLibraries.self, .open(listLibraries)),
    Method(Library.GetAuthorizationStatus.self, .open(status)),
    Method(Library.RequestAuthorization.self, .open(request)),
    Method(Library.LevelUnawareAuthorizationStatus.self, .open(levelUnawareStatus)),
    Method(Library.LevelUnawareRequestAuthorization.self, .open(levelUnawareRequest)),
    Method(Library.DescribeAccess.self, .open(describeAccess)),
    Method(Library.PresentLimitedLibraryPicker.self, .open(presentPicker)),
    Method(Library.GetLimits.self, .open(limits)),
  ]

  private static func introduce(_ call: IncomingCall, _ session: Session) throws(CallFailure) {
    let parameters: Library.Introduce.Parameters = try call.parameters()
    let manifest = try ManifestReader.read(parameters.manifest)
    session.introduce(manifest) { result in
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let answer):
        call.reply(Library.Introduce.Reply(app: answer.app.identifier.description, token: answer.token))
      }
    }
  }

  private static func attach(_ call: IncomingCall, _ session: Session) throws(CallFailure) {
    let parameters: Library.Attach.Parameters = try call.parameters()
    // A token read from a file may end with a line break.
    let token = parameters.token.last?.isNewline ?? false ? String(parameters.token.dropLast()) : parameters.token
    let attached = try decide(session.attach(token))
    call.core.tokenEnds.watch(call.connection, session)
    call.connection.allowDescriptors()
    call.reply(
      Library.Attach.Reply(
        app: attached.app.description, library: attached.grant?.library.description,
        level: attached.grant?.level.rawValue))
  }

  private static func listLibraries(_ call: IncomingCall, _ session: Session) throws(CallFailure) {
    let parameters: Library.ListLibraries.Parameters = try call.parameters()
    let page = try ListPage(session.libraries, after: parameters.cursor, key: \.description, \.description)
    call.reply(Library.ListLibraries.Reply(libraries: page.items, cursor: page.cursor))
  }

  private static func status(_ call: IncomingCall, _ session: Session) throws(CallFailure) {
    let parameters: Library.GetAuthorizationStatus.Parameters = try call.parameters()
    let level = try level(parameters.level)
    let library = try library(parameters.library)
    let status = try decide(session.status(level, library: library))
    call.reply(Library.GetAuthorizationStatus.Reply(status: status.name, code: Int64(status.rawValue)))
  }

  private static func request(_ call: IncomingCall, _ session: Session) throws(CallFailure) {
    let parameters: Library.RequestAuthorization.Parameters = try call.parameters()
    session.requestAuthorization(
      level: try level(parameters.level), library: try library(parameters.library), wait: parameters.wait ?? true
    ) { result in
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let answer):
        call.connection.allowDescriptors()
        call.reply(
          Library.RequestAuthorization.Reply(
            status: answer.status.name, code: Int64(answer.status.rawValue), token: answer.token))
      }
    }
  }

  private static func levelUnawareStatus(_ call: IncomingCall, _ session: Session) throws(CallFailure) {
    let _: Library.LevelUnawareAuthorizationStatus.Parameters = try call.parameters()
    let status = try decide(session.status(.readWrite)).levelUnaware
    call.reply(Library.LevelUnawareAuthorizationStatus.Reply(status: status.name, code: Int64(status.rawValue)))
  }

  private static func levelUnawareRequest(_ call: IncomingCall, _ session: Session) throws(CallFailure) {
    let _: Library.LevelUnawareRequestAuthorization.Parameters = try call.parameters()
    session.requestAuthorization(level: .readWrite, library: nil, wait: true) { result in
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let answer):
        call.connection.allowDescriptors()
        let status = answer.status.levelUnaware
        call.reply(
          Library.LevelUnawareRequestAuthorization.Reply(
            status: status.name, code: Int64(status.rawValue), token: answer.token))
      }
    }
  }

  private static func describeAccess(_ call: IncomingCall, _ session: Session) throws(CallFailure) {
    let parameters: Library.DescribeAccess.Parameters = try call.parameters()
    let level = try level(parameters.level)
    let library = try library(parameters.library)
    let access = try decide(session.describeAccess(level, library: library))
    call.reply(
      Library.DescribeAccess.Reply(
        library: access.library.description, level: access.level.rawValue, status: access.status.name,
        visible: Int64(access.visible),
        expires: access.expires?.microseconds, paused: access.isPaused, albumPolicy: access.albumPolicy,
        verbs: access.verbs.names, tokenExpires: access.tokenExpires?.microseconds, limits: ServiceLimits.table))
  }

  private static func presentPicker(_ call: IncomingCall, _ session: Session) throws(CallFailure) {
    let _: Library.PresentLimitedLibraryPicker.Parameters = try call.parameters()
    session.presentLimitedLibraryPicker { result in
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let (permit, numbers)):
        guard call.call.more || numbers.count <= ServiceLimits.columnLimit else {
          return call.fail(
            BrokerError.photos(
              .limitExceeded,
              "The new selection is in force, but too long for one answer; fetch it, or call with more."))
        }
        tell(numbers[...], to: call, permit)
      }
    }
  }

  /// Sends an app the new assets of its selection, page by page, each after the one before has
  /// left.
  private static func tell(_ numbers: ArraySlice<AssetNumber>, to call: IncomingCall, _ permit: Permit) {
    guard !call.isClosed else { return }
    let page = numbers.prefix(ServiceLimits.columnLimit)
    let rest = numbers[page.endIndex...]
    call.attempt { () throws(CallFailure) in
      let rows = page.compactMap { permit.library.catalogue.row(of: $0) }
      let added = try decide(permit.library.seals(of: permit.app).seal(rows.map(\.identifier)))
      guard call.core.disclosures.noteMetadata(rows.map(\.facts), permit) else { throw .broker(.ledgerUnavailable) }
      call.reply(
        Library.PresentLimitedLibraryPicker.Reply(added: added.map(\.description)), under: permit,
        continues: !rest.isEmpty)
    }
    if !rest.isEmpty, !call.isAnswered { call.connection.whenDrained { tell(rest, to: call, permit) } }
  }

  private static func limits(_ call: IncomingCall, _ session: Session) throws(CallFailure) {
    let _: Library.GetLimits.Parameters = try call.parameters()
    call.reply(Library.GetLimits.Reply(limits: ServiceLimits.table))
  }

  static func level(_ name: String) throws(CallFailure) -> AccessLevel {
    guard let level = AccessLevel(rawValue: name) else { throw .invalid("level") }
    return level
  }

  /// A malformed name gets the same answer as a library that is not offered to this user.
  static func library(_ name: String?) throws(CallFailure) -> LibraryName? {
    guard let name else { return nil }
    guard let library = LibraryName(name) else { throw .broker(.libraryNotFound()) }
    return library
  }
}
