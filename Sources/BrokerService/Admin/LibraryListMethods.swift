import Broker
import BrokerInterface
import Glibc
import Limits
import PhotoModel
import Varlink

/// Libraries: their list, state, scans, offers and end.
struct LibraryListMethods {
  let runtimes: LibraryRuntimes
  let uid: UInt32

  @MethodRows var methods: [Method] {
    Method(Admin.GetStatus.self, .administration(getStatus))
    Method(Admin.ListLibraries.self, .administration(listLibraries))
    Method(Admin.WatchLibrary.self, .administration(watchLibrary))
    Method(Admin.ListSkippedFiles.self, .administration(listSkippedFiles))
    Method(Admin.RescanLibrary.self, .administration(rescanLibrary))
    Method(Admin.OfferLibrary.self, .administration(offerLibrary))
    Method(Admin.RemoveLibrary.self, .administration(removeLibrary))
  }

  private func getStatus(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let _: Admin.GetStatus.Parameters = try call.parameters()
    let separation = Separation(broker: uid, caller: session.uid)
    call.reply(
      Admin.GetStatus.Reply(
        version: Product.version, uid: Int64(uid), groups: ownGroups.map { Int64($0) },
        caller: Int64(session.uid), separated: separation.isSeparated, separation: separation.words,
        libraries: Int64(session.libraries.list.count),
        prompts: Int64(session.prompts.waiting.count), deletions: Int64(session.deletions.waiting.count),
        connections: Int64(session.connections),
        listsPlugins: PluginMethods.mayListPlugins(session, broker: uid)))
  }

  private var ownGroups: [gid_t] {
    var groups = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
    let count = getgroups(Int32(groups.count), &groups)
    return Set(groups.prefix(max(0, Int(count))) + [getegid()]).sorted()
  }

  private func listLibraries(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ListLibraries.Parameters = try call.parameters()
    let page = try ListPage(session.libraries.list, after: parameters.cursor, key: \.record.name.description) {
      AdminRecords.info(runtimes[$0], for: session)
    }
    call.reply(Admin.ListLibraries.Reply(libraries: page.items, cursor: page.cursor))
  }

  private func watchLibrary(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.WatchLibrary.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.name, session.library)
    let runtime = runtimes[library]
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
      guard (try? session.library(library.record.name)) === runtime.library else {
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

  private func listSkippedFiles(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ListSkippedFiles.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library, session.seenLibrary)
    let from = try parameters.cursor.map { text throws(CallFailure) in try ListPage<Admin.SkippedFile>.key(of: text) }
    let page = try ListPage(
      runtimes[library].scanner.leftOut.files.files(from: from), after: parameters.cursor,
      key: { SkippedFiles.key($0.locator) }
    ) { Admin.SkippedFile($0) }
    call.reply(Admin.ListSkippedFiles.Reply(files: page.items, cursor: page.cursor))
  }

  private func rescanLibrary(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.RescanLibrary.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.name, session.ownedLibrary)
    runtimes[library].scanner.rescanForOwner()
    call.reply(Admin.RescanLibrary.Reply())
  }

  private func offerLibrary(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.OfferLibrary.Parameters = try call.parameters()
    let users = parameters.offeredTo.map(AdminParameters.uids)
    let joining = AdminParameters.uids(parameters.add ?? [])
    let leaving = AdminParameters.uids(parameters.remove ?? [])
    guard users != nil || parameters.add != nil || parameters.remove != nil else {
      throw .refused(.nothingToOffer, "There is nothing to change; give offeredTo, add or remove.")
    }
    let name = try AdminParameters.library(parameters.name)
    let answer = call.replying { (receipt: RightsReceipt) in
      Admin.OfferLibrary.Reply(receipt: Admin.Receipt(receipt), decisions: receipt.entered)
    }
    session.rights.offer(name, to: users, adding: joining, removing: leaving, completion: answer)
  }

  private func removeLibrary(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.RemoveLibrary.Parameters = try call.parameters()
    let name = try AdminParameters.library(parameters.name)
    session.libraries.remove(name) { result in
      result.orFail(call) { receipt in
        runtimes.forget(name)
        call.reply(Admin.RemoveLibrary.Reply(receipt: Admin.Receipt(receipt)))
      }
    }
  }
}
