import Broker
import BrokerInterface
import Catalogue
import Limits
import PhotoModel
import Varlink

/// Pickers that wait for their person.
struct PickerAnswerMethods {
  let watchers: PromptWatchers

  @MethodRows var methods: [Method] {
    Method(Admin.ListPickers.self, .administration(listPickers))
    Method(Admin.AnswerPicker.self, .administration(answerPicker))
    Method(Admin.ListPickerApps.self, .administration(listPickerApps))
  }

  private func listPickers(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ListPickers.Parameters = try call.parameters()
    try watchers.list(call, for: session, after: parameters.cursor, { session.pickers.waiting }) {
      Admin.PickerInfo($0, session)
    } reply: {
      Admin.ListPickers.Reply(pickers: $0.items, cursor: $0.cursor)
    }
  }

  private func answerPicker(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.AnswerPicker.Parameters = try call.parameters()
    guard let picker = AppIdentifier(parameters.picker) else { throw .broker(.unknownPicker()) }
    let assets = try parameters.assets.map { texts throws(CallFailure) in try identifiers(texts) }
    let again = try identifiers(parameters.again ?? [])
    let terms = try AdminParameters.terms(parameters.terms)
    let items = try decide(session.pickers.answer(picker, assets: assets, again: again, terms: terms))
    call.reply(Admin.AnswerPicker.Reply(items: Int64(items)))
  }

  // The picker itself checks their number, and names the limit.
  private func identifiers(_ texts: [String]) throws(CallFailure) -> [AssetIdentifier] {
    var found: [AssetIdentifier] = []
    for text in texts { found.append(try AdminParameters.asset(text)) }
    return found
  }

  private func listPickerApps(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ListPickerApps.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library)
    let app = try AdminParameters.app(parameters.app)
    let apps = try decide(session.pickers.apps(of: library, app: app, everyone: parameters.everyone ?? false))
    func key(_ entry: PickerApp) -> String {
      "\(String.key(.max - max(0, entry.uses.last.microseconds))) \(entry.app.record.identifier)"
    }
    let page = try ListPage(apps, after: parameters.cursor, key: key) { entry in
      Admin.PickerApp(
        app: AdminRecords.app(entry.app.record, connections: session.apps.connections(of: entry.app), for: session),
        times: Int64(entry.uses.times), assets: Int64(entry.uses.assets), last: entry.uses.last.microseconds,
        loadable: Int64(entry.loadable), until: entry.until?.microseconds)
    }
    call.reply(Admin.ListPickerApps.Reply(apps: page.items, cursor: page.cursor))
  }
}

extension Admin.PickerInfo {
  fileprivate init(_ request: PickerRequest, _ session: AdminSession) {
    let configuration = request.configuration
    // Assets that were deleted or marked never-share since it opened cannot be given any more.
    let known = request.preselected.compactMap { one in
      request.library.catalogue.row(of: one.number).flatMap {
        request.library.isPickable($0) ? $0.identifier.description : nil
      }
    }
    self.init(
      picker: request.identifier.description,
      app: AdminRecords.app(request.app.record, connections: session.apps.connections(of: request.app), for: session),
      library: request.library.record.name.description, selectionLimit: Int64(configuration.most),
      mediaTypes: configuration.mediaTypes.map(\.name).sorted(), ordered: configuration.isOrdered, preselected: known,
      opened: request.asked.microseconds, terms: Admin.Terms(ofPick: session.pickers.terms(of: request)))
  }
}
