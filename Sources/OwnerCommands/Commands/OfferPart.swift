import BrokerInterface

/// A role in which a library is offered. Each can be answered alone.
enum OfferPart: CaseIterable {
  case programs, coOwner

  var option: CommandOption { self == .programs ? Self.programsOption : Self.coOwnerOption }
  private static let programsOption = CommandOption("programs", "only that it is offered to your programs")
  private static let coOwnerOption = CommandOption("co-owner", "only that you are to be its co-owner")

  var words: String { self == .programs ? "your programs" : "you as co-owner" }

  static func words(_ parts: [Self]) -> String { parts.map(\.words).joined(separator: ", ") }

  static func all(of offer: Admin.LibraryOffer) -> [Self] { allCases.filter { $0.answer(to: offer) != nil } }

  /// The user's answer: accepted, declined or waiting. Nil without such an offer.
  func answer(to offer: Admin.LibraryOffer) -> String? {
    self == .programs ? offer.programsAnswer : offer.coOwnerAnswer
  }

  func shown(_ offer: Admin.LibraryOffer) -> String {
    let answer = answer(to: offer) ?? "waiting"
    return answer == "waiting" ? "none yet" : answer
  }

  /// The answers to all parts, as text.
  static func answers(to offer: Admin.LibraryOffer) -> String {
    let parts = all(of: offer)
    let answers = Set(parts.map { $0.shown(offer) })
    return answers.count == 1
      ? answers.joined() : parts.map { "\($0.words): \($0.shown(offer))" }.joined(separator: ", ")
  }
}

/// An answer to a library's offer.
struct OfferAnswer {
  private let accept: Bool
  private let offer: Admin.LibraryOffer
  private let parts: [OfferPart]
  /// The part whose answer stays.
  private let rest: OfferPart?

  /// - Parameter named: the parts to answer; empty: all parts of the offer.
  /// - Throws: `notFound` if the offer lacks such a part.
  init(accept: Bool, _ named: [OfferPart], of offer: Admin.LibraryOffer) throws(CommandError) {
    let all = OfferPart.all(of: offer)
    if let part = named.first(where: { !all.contains($0) }) {
      throw CommandError(
        .notFound, "\(offer.library) is not offered for \(part.words). List the offers: photobroker library offers")
    }
    (self.accept, self.offer, parts) = (accept, offer, named.isEmpty ? all : named)
    rest = all.first { [parts] in !parts.contains($0) }
  }

  var parameters: Admin.AnswerOffer.Parameters {
    var parameters = Admin.AnswerOffer.Parameters(
      library: offer.library, accept: accept, owner: offer.owner, programs: offer.programs, coOwner: offer.coOwner)
    guard rest != nil else { return parameters }
    parameters.accept = true
    (parameters.programs, parameters.declinesPrograms) = (
      says("accepted", of: .programs), says("declined", of: .programs)
    )
    (parameters.coOwner, parameters.declinesCoOwner) = (says("accepted", of: .coOwner), says("declined", of: .coOwner))
    return parameters
  }

  private func says(_ answer: String, of part: OfferPart) -> Bool {
    (parts.contains(part) ? accept ? "accepted" : "declined" : part.answer(to: offer)) == answer
  }

  /// The question that confirms an acceptance.
  var question: String {
    guard rest != nil else {
      return "Accept \(offer.library), which \(Words.user(offer.owner)) offers for \(OfferPart.words(parts))?"
    }
    return "Accept \(offer.library) of \(Words.user(offer.owner)) for \(OfferPart.words(parts)) alone?\(remark)"
  }

  /// A sentence about the effect of the answer.
  var outcome: String {
    let said =
      if accept {
        "\(offer.library) of \(Words.user(offer.owner)) is accepted, for \(OfferPart.words(parts))."
      } else {
        switch parts {
        case [.programs]: "Your programs no longer see \(offer.library)."
        case [.coOwner]: "You are not a co-owner of \(offer.library)."
        default: "Your programs no longer see \(offer.library), and you are not its co-owner."
        }
      }
    return said + remark
  }

  private var remark: String {
    rest.map { " It is offered for \($0.words) too; your answer to that stays: \($0.shown(offer))." } ?? ""
  }
}
