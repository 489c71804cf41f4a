import Broker
import BrokerInterface

/// Offers to a user, who need not own a library.
extension AdminMethods {
  static let offers: [Method] = [
    Method(Admin.ListOffers.self, .administration(listOffers)),
    Method(Admin.AnswerOffer.self, .administration(answerOffer)),
    Method(Admin.AnswerOffers.self, .administration(answerOffers)),
  ]

  private static func listOffers(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ListOffers.Parameters = try call.parameters()
    let page = try ListPage(session.offers.list, after: parameters.cursor, key: \.library.description) {
      Admin.LibraryOffer(
        library: $0.library.description, owner: Int64($0.owner),
        declined: $0.answers.values.allSatisfy { $0 == .declined },
        accepted: $0.answers.values.allSatisfy { $0 == .accepted }, programs: $0.answers[.user] != nil,
        coOwner: $0.answers[.coOwner] != nil, programsAnswer: $0.answers[.user].map(shown),
        coOwnerAnswer: $0.answers[.coOwner].map(shown))
    }
    call.reply(
      Admin.ListOffers.Reply(
        offers: page.items, declinedUsers: session.offers.declinedUsers.map { Int64($0) }, cursor: page.cursor))
  }

  private static func shown(_ state: Invitation.State) -> String { state == .offered ? "waiting" : state.rawValue }

  private static func answerOffers(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.AnswerOffers.Parameters = try call.parameters()
    session.offers.answerAll(
      from: UInt32(clamping: parameters.user), accepts: parameters.accept,
      completion: call.replying { Admin.AnswerOffers.Reply(receipt: Admin.Receipt($0)) })
  }

  private static func answerOffer(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.AnswerOffer.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library)
    func state(_ accepts: Bool?, _ declines: Bool?) -> Invitation.State {
      !parameters.accept || declines == true ? .declined : accepts == false ? .offered : .accepted
    }
    var answers: InvitationAnswers = [
      .user: state(parameters.programs, parameters.declinesPrograms),
      .coOwner: state(parameters.coOwner, parameters.declinesCoOwner),
    ]
    // Without both fields, a declined part that is not offered now stays declined.
    if parameters.declinesPrograms == nil, parameters.declinesCoOwner == nil {
      let shown = session.offers.list.first { $0.library == library }?.answers ?? [:]
      answers = answers.filter { $0.value != .offered || shown[$0.key] != nil }
    }
    let owner = parameters.owner.map { UInt32(clamping: $0) }
    session.offers.answer(library, answers, of: owner) { result in
      result.orFail(call) { (receipt, before) in
        call.reply(
          Admin.AnswerOffer.Reply(
            receipt: Admin.Receipt(receipt),
            before: Admin.OfferAnswer(
              accept: before.values.contains { $0 != .declined }, programs: before[.user] == .accepted,
              coOwner: before[.coOwner] == .accepted, declinesPrograms: before[.user] == .declined,
              declinesCoOwner: before[.coOwner] == .declined)))
      }
    }
  }
}
