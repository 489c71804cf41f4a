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
    let page = try ListPage(session.offers, after: parameters.cursor, key: \.library.description) {
      Admin.LibraryOffer(
        library: $0.library.description, owner: Int64($0.owner), declined: $0.isDeclined, accepted: $0.isAccepted,
        programs: $0.programs != nil, coOwner: $0.coOwnership != nil, programsAnswer: $0.programs?.rawValue,
        coOwnerAnswer: $0.coOwnership?.rawValue)
    }
    call.reply(
      Admin.ListOffers.Reply(
        offers: page.items, declinedUsers: session.declinedUsers.map { Int64($0) }, cursor: page.cursor))
  }

  private static func answerOffers(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.AnswerOffers.Parameters = try call.parameters()
    session.answerOffers(from: UInt32(clamping: parameters.user), accepts: parameters.accept) { result in
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let receipt): call.reply(Admin.AnswerOffers.Reply(receipt: Admin.Receipt(receipt)))
      }
    }
  }

  private static func answerOffer(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.AnswerOffer.Parameters = try call.parameters()
    let answer = OfferAnswer(
      accepts: parameters.accept, programs: parameters.programs, coOwnership: parameters.coOwner,
      declinesPrograms: parameters.declinesPrograms ?? false, declinesCoOwnership: parameters.declinesCoOwner ?? false,
      keepsRefusals: parameters.declinesPrograms == nil && parameters.declinesCoOwner == nil)
    let owner = parameters.owner.map { UInt32(clamping: $0) }
    session.answerOffer(try AdminParameters.library(parameters.library), answer, of: owner) { result in
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let (receipt, before)):
        call.reply(
          Admin.AnswerOffer.Reply(
            receipt: Admin.Receipt(receipt),
            before: Admin.OfferAnswer(
              accept: before.accepts, programs: before.programs ?? false, coOwner: before.coOwnership ?? false,
              declinesPrograms: before.declinesPrograms, declinesCoOwner: before.declinesCoOwnership)))
      }
    }
  }
}
