import Broker
import BrokerInterface
import Glibc
import PhotoModel
import PluginHost
import PluginKit
import Varlink

extension AdminMethods {
  static let libraries: [Method] = [
    Method(Admin.GetStatus.self, .administration(getStatus)),
    Method(Admin.AddLibrary.self, .administration(addLibrary)),
    Method(Admin.SetUpLibrary.self, .administration(setUpLibrary)),
    Method(Admin.ListLibraries.self, .administration(listLibraries)),
    Method(Admin.WatchLibrary.self, .administration(watchLibrary)),
    Method(Admin.RescanLibrary.self, .administration(rescanLibrary)),
    Method(Admin.OfferLibrary.self, .administration(offerLibrary)),
    Method(Admin.RemoveLibrary.self, .administration(removeLibrary)),
  ]

  private static func getStatus(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let _: Admin.GetStatus.Parameters = try call.parameters()
    let separation = Separation(broker: call.core.uid, caller: session.uid)
    call.reply(
      Admin.GetStatus.Reply(
        version: Introspection.version, uid: Int64(call.core.uid), groups: ownGroups.map { Int64($0) },
        caller: Int64(session.uid), separated: separation.isSeparated, separation: separation.words,
        libraries: Int64(session.libraries.count),
        prompts: Int64(session.questions.count), connections: Int64(session.connections),
        listsPlugins: AdminMethods.mayListPlugins(session, broker: call.core.uid)))
  }

  private static var ownGroups: [gid_t] {
    var groups = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
    let count = getgroups(Int32(groups.count), &groups)
    return Set(groups.prefix(max(0, Int(count))) + [getegid()]).sorted()
  }

  private static func addLibrary(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.AddLibrary.Parameters = try call.parameters()
    guard let name = LibraryName(parameters.name) else { throw .invalid("name") }
    let owner = parameters.owner.map { UInt32(clamping: $0) }
    let offered = AdminParameters.uids(parameters.offeredTo ?? [])
    let handed = try HandedCredentials(parameters.credentials, call, allowsForgetting: false)
    ChosenZone.find(parameters.timeZone, offsetMinutes: parameters.zoneOffsetMinutes, call.core) { result in
      guard !call.isClosed else { return }
      call.attempt { () throws(CallFailure) in
        let zone = try result.get()?.setup ?? LibrarySetup.Zone(name: nil, offsetMinutes: 0)
        var record = LibraryRecord(
          name: name, owner: owner ?? session.uid, backend: parameters.backend ?? "directory",
          options: parameters.options,
          offeredTo: offered, zoneOffsetMinutes: zone.offsetMinutes, rootKey: [])
        LibrarySetup(cloudMapping: parameters.cloudMapping, mappingOptions: parameters.cloudMappingOptions, zone: zone)
          .apply(to: &record)
        try tryAndAdd(
          record, handed, triesMapping: parameters.cloudMapping != nil || parameters.cloudMappingOptions != nil, call,
          session)
      }
    }
  }

  private static func tryAndAdd(
    _ record: LibraryRecord, _ handed: HandedCredentials, triesMapping: Bool, _ call: IncomingCall,
    _ session: AdminSession
  ) throws(CallFailure) {
    // No processes are started for a refused request.
    try decide(session.checkAdding(for: record.owner))
    // The plugins are tried before the library exists, so that a mistake in the options is told to
    // the person who made it.
    let trial = ServiceCore.Trial(storage: true, mapping: triesMapping)
    let mapping = record.plugins.cloudMapping.map { [PluginRole(.cloudMapping, $0)] } ?? []
    let roles = Set([PluginRole(.storage, record.backend)] + mapping)
    let claim = try decide(call.core.plugins.claim([record.name: roles]))
    call.core.tryPlugins(record, trial, handed, isNew: true) { result in
      guard !call.isClosed else { return claim.release() }
      switch result {
      case .failure(let failure):
        claim.release()
        call.fail(BrokerError(.refused, failure.message, failure.reason))
      case .success(let secrets):
        session.addLibrary(
          record.name, backend: record.backend, options: record.options, owner: record.owner,
          offeredTo: record.offeredTo,
          zoneName: record.zoneName, zoneOffsetMinutes: record.zoneOffsetMinutes, plugins: record.plugins
        ) { result in
          claim.release()
          switch result {
          case .failure(let error): call.fail(error)
          case .success(let library): begin(library, secrets.after, call, session)
          }
        }
      }
    }
  }

  /// Starts a new library once its secrets are written. If they cannot be, the library is removed.
  private static func begin(
    _ library: LibraryState, _ secrets: [String: String], _ call: IncomingCall, _ session: AdminSession
  ) {
    let name = library.record.name
    call.core.secrets.keep(secrets, of: name) { failure in
      guard call.core.broker.libraries[name] === library else {
        call.core.secrets.forget(name)
        return call.fail(AdminParameters.noLibrary())
      }
      if let failure {
        return session.removeLibrary(name) { _ in call.fail(BrokerError(.failed, failure.message)) }
      }
      let runtime = call.core.start(library)
      call.reply(Admin.AddLibrary.Reply(library: AdminRecords.info(runtime, for: session)))
    }
  }

  private static func listLibraries(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ListLibraries.Parameters = try call.parameters()
    let page = try ListPage(session.libraries, after: parameters.cursor, key: \.record.name.description) {
      AdminRecords.info(call.core.runtime($0), for: session)
    }
    call.reply(Admin.ListLibraries.Reply(libraries: page.items, cursor: page.cursor))
  }

  private static func watchLibrary(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.WatchLibrary.Parameters = try call.parameters()
    let name = try AdminParameters.library(parameters.name)
    let library = try decide(session.library(name))
    let runtime = call.core.runtime(library)
    guard call.call.more, runtime.scanner.isLooking else {
      return call.reply(Admin.WatchLibrary.Reply(library: AdminRecords.info(runtime, for: session)))
    }
    let connection = call.connection
    let closing = connection.onClose { [weak runtime] in runtime?.status.unwatch(connection) }
    runtime.status.watch(connection) { [weak runtime] in
      if let runtime, runtime.workers.isStopped {
        // After a new setup the call watches the library's new runtime.
        runtime.status.unwatch(connection)
        connection.forgetClose(closing)
        return call.core.later {
          if !call.isClosed { call.attempt { () throws(CallFailure) in try watchLibrary(call, session) } }
        }
      }
      guard let runtime, connection.outbox.isEmpty || !runtime.scanner.isLooking else { return }
      // The watcher's rights may have ended meanwhile.
      guard (try? session.library(name)) === runtime.library else {
        runtime.status.unwatch(connection)
        return call.fail(AdminParameters.noLibrary())
      }
      let info = AdminRecords.info(runtime, for: session)
      let goesOn = runtime.scanner.isLooking
      if !goesOn {
        runtime.status.unwatch(connection)
        connection.forgetClose(closing)
      }
      call.reply(Admin.WatchLibrary.Reply(library: info), continues: goesOn)
    }
    call.reply(Admin.WatchLibrary.Reply(library: AdminRecords.info(runtime, for: session)), continues: true)
  }

  private static func rescanLibrary(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.RescanLibrary.Parameters = try call.parameters()
    let name = try AdminParameters.library(parameters.name)
    let library = try decide(session.ownedLibrary(name))
    call.core.runtime(library).scanner.rescanForOwner()
    call.reply(Admin.RescanLibrary.Reply())
  }

  private static func offerLibrary(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.OfferLibrary.Parameters = try call.parameters()
    let users = parameters.offeredTo.map(AdminParameters.uids)
    let joining = AdminParameters.uids(parameters.add ?? [])
    let leaving = AdminParameters.uids(parameters.remove ?? [])
    guard users != nil || parameters.add != nil || parameters.remove != nil else {
      throw .broker(
        BrokerError(.refused, .nothingToOffer, "There is nothing to change; give offeredTo, add or remove."))
    }
    session.offer(try AdminParameters.library(parameters.name), to: users, adding: joining, removing: leaving) {
      result in
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let receipt):
        call.reply(Admin.OfferLibrary.Reply(receipt: Admin.Receipt(receipt), decisions: receipt.entered))
      }
    }
  }

  private static func removeLibrary(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.RemoveLibrary.Parameters = try call.parameters()
    let name = try AdminParameters.library(parameters.name)
    session.removeLibrary(name) { result in
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let receipt):
        call.core.forgetLibrary(name)
        call.reply(Admin.RemoveLibrary.Reply(receipt: Admin.Receipt(receipt)))
      }
    }
  }
}
