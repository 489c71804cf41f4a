import Broker
import BrokerInterface
import PhotoModel
import Varlink

/// Deletions by apps that wait for their person.
struct DeletionAnswerMethods {
  let watchers: PromptWatchers

  @MethodRows var methods: [Method] {
    Method(Admin.ListDeletions.self, .administration(listDeletions))
    Method(Admin.AnswerDeletion.self, .administration(answerDeletion))
  }

  private func listDeletions(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ListDeletions.Parameters = try call.parameters()
    func key(_ request: DeletionRequest) -> String {
      "\(request.library.record.owner == session.uid ? 0 : 1) \(String.key(request.asked.microseconds)) "
        + "\(request.identifier)"
    }
    func present() throws(CallFailure) -> Admin.ListDeletions.Reply {
      let page = try ListPage(session.deletions.waiting, after: parameters.cursor, key: key) { request in
        Admin.DeletionInfo(
          deletion: request.identifier.description,
          app: AdminRecords.app(
            request.app.record, connections: session.apps.connections(of: request.app), for: session),
          library: request.library.record.name.description, assets: request.assets.map(\.description),
          asked: request.asked.microseconds)
      }
      return Admin.ListDeletions.Reply(deletions: page.items, cursor: page.cursor)
    }
    guard call.call.more else { return call.reply(try present()) }
    call.reply(try present(), continues: true)
    watchers.watch(call, owner: session.uid) { () throws(CallFailure) in
      call.reply(try present(), continues: true)
    }
  }

  private func answerDeletion(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.AnswerDeletion.Parameters = try call.parameters()
    guard let deletion = AppIdentifier(parameters.deletion) else { throw .broker(.unknownDeletion()) }
    try decide(session.deletions.answer(deletion, allows: parameters.allow))
    call.reply(Admin.AnswerDeletion.Reply())
  }
}
