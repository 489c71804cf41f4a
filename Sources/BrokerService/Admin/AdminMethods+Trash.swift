import Broker
import BrokerInterface
import Catalogue
import Limits
import PhotoModel
import Varlink

extension AdminMethods {
  static func fetchTrashedAssets(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.FetchTrashedAssets.Parameters = try call.parameters()
    let name = try AdminParameters.library(parameters.library)
    let library = try decide(session.seenLibrary(name))
    let rows = library.trashed()
    let page = rows.dropFirst(Int(parameters.skip ?? 0)).prefix(Int(parameters.limit ?? 100))
    show(OwnedPage(rows: Array(page), total: rows.count), in: library, call, session)
  }

  static func restoreAssets(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.RestoreAssets.Parameters = try call.parameters()
    let name = try AdminParameters.library(parameters.library)
    let library = try decide(session.ownedLibrary(name))
    guard (1...ServiceLimits.identifiers).contains(parameters.identifiers.count) else { throw .invalid("identifiers") }
    var numbers: [AssetNumber] = []
    for text in parameters.identifiers {
      guard
        let row = library.catalogue.position(of: try AdminParameters.asset(text)).map({ library.catalogue.row($0) }),
        row.flags.contains(.trashed), !numbers.contains(row.number)
      else {
        throw .broker(.notFound("asset", "No such asset in this library's trash; list the trash to see what is there."))
      }
      numbers.append(row.number)
    }
    let runtime = call.core.runtime(library)
    if parameters.dryRun ?? false {
      let count = Int64(numbers.count)
      return runtime.opened.checkThatStorageChanges(error: { BrokerError(.refused, $0.message, $0.reason) }) { result in
        guard !call.isClosed else { return }
        call.attempt { () throws(CallFailure) in
          try decide(result.get())
          call.reply(Admin.RestoreAssets.Reply(restored: count))
        }
      }
    }
    runtime.trash.restore(numbers) { result in
      guard !call.isClosed else { return }
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let count): call.reply(Admin.RestoreAssets.Reply(restored: Int64(count)))
      }
    }
  }
}
