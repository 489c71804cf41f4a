import Broker
import BrokerInterface
import Catalogue
import PhotoModel
import Varlink

/// Prompts and their answers.
struct PromptMethods {
  let selectors: SelectorResolver
  let watchers: PromptWatchers

  @MethodRows var methods: [Method] {
    Method(Admin.ListPrompts.self, .administration(listPrompts))
    Method(Admin.AnswerPrompt.self, .administration(answerPrompt))
    Method(Admin.DraftAnswer.self, .administration(draftAnswer))
  }

  private func listPrompts(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ListPrompts.Parameters = try call.parameters()
    let languages = LocalizedText.Languages(parameters.language)
    func page(of questions: [AdminPrompts.Question]) throws(CallFailure) -> Admin.ListPrompts.Reply {
      let page = try ListPage(questions, after: parameters.cursor, key: key) {
        AdminRecords.prompt(session.prompts.view(of: $0, in: languages), for: session)
      }
      return Admin.ListPrompts.Reply(prompts: page.items, cursor: page.cursor)
    }
    guard call.call.more else {
      watchers.noteList(call.connection, owner: session.uid)
      return call.reply(try page(of: session.prompts.waiting))
    }
    call.reply(try page(of: session.prompts.waiting), continues: true)
    watchers.watch(call, owner: session.uid) { () throws(CallFailure) in
      let questions = session.prompts.waiting
      let inputs = PromptWatchers.Inputs(
        languages: languages, cursor: parameters.cursor, questions: questions.map(\.prompt.record.identifier))
      let reply = try watchers.reply(showing: inputs, to: session.uid) { () throws(CallFailure) in
        try page(of: questions)
      }
      call.reply(reply, continues: true)
    }
  }

  private func key(_ question: AdminPrompts.Question) -> String {
    let record = question.prompt.record
    return "\(question.isOwn ? 0 : 1) \(String.key(record.asked.microseconds)) \(record.identifier)"
  }

  private func answerPrompt(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.AnswerPrompt.Parameters = try call.parameters()
    let prompt = try prompt(parameters.prompt)
    let answer = try CallFailure.named(parameters.answer, in: "answer", by: \PromptAnswer.rawValue)
    // A person who names some photos does not mean all of them, so only answers that choose photos
    // take a selector.
    guard answer.choosesAssets || parameters.selector == nil else {
      throw .invalid("selector", "this answer chooses no photos; leave it out, or answer select")
    }
    guard answer.choosesAssets || parameters.draft == nil else {
      throw .invalid("draft", "this answer chooses no photos; leave it out, or answer select")
    }
    let end = try AdminParameters.end(parameters.expires, once: parameters.once)
    let library = try decide(session.prompts.library(of: prompt))
    let draft = try AdminParameters.draft(parameters.draft, of: "request")
    let terms = try AdminParameters.terms(parameters.terms)
    let live = try LiveForm.live(parameters.selector, parameters.live)
    guard live == nil || draft == nil else {
      throw .invalid("draft", "a live selection has conditions alone; leave the draft out")
    }
    try selectors.resolve(parameters.selector, in: library, call) { selection throws(CallFailure) in
      // A mistyped selector must not use the prompt up. An empty list of identifiers says that no
      // asset is meant.
      let isMeant = draft != nil || live != nil || parameters.selector?.identifiers?.isEmpty ?? false
      if let selection, library.catalogue.count(of: selection) == 0, !isMeant {
        throw .refused(
          .selectsNothing,
          "No asset matches this choice, so nothing was decided and the request still waits. Choose other assets, "
            + "or an empty list of identifiers if the app should see none (request answer --none).")
      }
      if let shown = parameters.outcome,
        shown != selection.flatMap({ ShownOutcome.name(added: library.catalogue.numbers(in: $0)) })
      {
        throw .broker(.outcomeChanged())
      }
      session.prompts.answer(
        prompt, answer, selection: selection, draft: draft, live: live, terms: terms, end: end,
        language: parameters.language,
        completion: call.replying {
          Admin.AnswerPrompt.Reply(
            grant: AdminRecords.grant($0.0), decisions: $0.decisions.map { Int64(clamping: $0) })
        })
    }
  }

  private func draftAnswer(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.DraftAnswer.Parameters = try call.parameters()
    let prompt = try prompt(parameters.prompt)
    let library = try decide(session.prompts.library(of: prompt))
    let draft = try AdminParameters.draft(parameters.draft, of: "request")
    try selectors.resolve(parameters.selector, in: library, call) { selection throws(CallFailure) in
      guard let selection else { throw .invalid("selector", "it is missing; name what to draft") }
      let drafted = try decide(session.prompts.draft(prompt, selection, to: draft))
      call.reply(Admin.DraftAnswer.Reply(draft: drafted.draft.description, drafted: Int64(drafted.count)))
    }
  }

  private func prompt(_ text: String) throws(CallFailure) -> AppIdentifier {
    guard let prompt = AppIdentifier(text) else {
      throw .notFound(
        "prompt", "No such request waits for you: it was answered or withdrawn. List the requests that wait.")
    }
    return prompt
  }
}
