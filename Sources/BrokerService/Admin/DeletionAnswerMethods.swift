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
    try watchers.list(call, for: session, after: parameters.cursor, { session.deletions.waiting }) { request in
      Admin.DeletionInfo(
        deletion: request.identifier.description,
        app: AdminRecords.app(
          request.app.record, connections: session.apps.connections(of: request.app), for: session),
        library: request.library.record.name.description, assets: request.assets.map(\.description),
        asked: request.asked.microseconds)
    } reply: {
      Admin.ListDeletions.Reply(deletions: $0.items, cursor: $0.cursor)
    }
  }

  private func answerDeletion(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.AnswerDeletion.Parameters = try call.parameters()
    guard let deletion = AppIdentifier(parameters.deletion) else { throw .broker(.unknownDeletion()) }
    try decide(session.deletions.answer(deletion, allows: parameters.allow))
    call.reply(Admin.AnswerDeletion.Reply())
  }
}
