import BrokerInterface

/// A part of a library's offer. Each part can be answered alone.
enum OfferPart: CaseIterable {
  case programs, coOwner

  var option: CommandOption {
    switch self {
    case .programs: Self.programsOption
    case .coOwner: Self.coOwnerOption
    }
  }
  private static let programsOption = CommandOption("programs", "only that it is offered to your programs")
  private static let coOwnerOption = CommandOption("co-owner", "only that you are to be its co-owner")

  var other: Self { self == .programs ? .coOwner : .programs }

  var words: String {
    switch self {
    case .programs: "your programs"
    case .coOwner: "you as co-owner"
    }
  }

  static func words(_ parts: [Self]) -> String { parts.map(\.words).joined(separator: ", ") }

  static func all(of offer: Admin.LibraryOffer) -> [Self] {
    (offer.programs ?? true ? [.programs] : []) + (offer.coOwner ?? false ? [.coOwner] : [])
  }

  /// The user's answer: accepted, declined or waiting. Nil without such an offer, or from a broker
  /// that keeps one answer for all parts.
  func answer(to offer: Admin.LibraryOffer) -> String? {
    self == .programs ? offer.programsAnswer : offer.coOwnerAnswer
  }

  /// The answers to all parts, as text.
  static func answers(to offer: Admin.LibraryOffer) -> String {
    let answers = all(of: offer).compactMap { part in part.answer(to: offer).map { (part, shown($0)) } }
    guard let (_, first) = answers.first, answers.contains(where: { $0.1 != first }) else {
      return offer.declined ? "declined" : offer.accepted ?? true ? "accepted" : "none yet"
    }
    return answers.map { "\($0.0.words): \($0.1)" }.joined(separator: ", ")
  }

  static func shown(_ answer: String) -> String { answer == "waiting" ? "none yet" : answer }
}

/// An answer to a library's offer.
struct OfferAnswer {
  private let accept: Bool
  private let offer: Admin.LibraryOffer
  private let parts: [OfferPart]
  /// The part whose answer stays.
  private let rest: (part: OfferPart, answer: String)?

  /// - Parameter named: the parts to answer; empty: all parts of the offer.
  /// - Throws: `notFound` if the offer lacks such a part; `failed` if the broker cannot answer
  ///   parts.
  init(accept: Bool, _ named: [OfferPart], of offer: Admin.LibraryOffer) throws(CommandError) {
    let all = OfferPart.all(of: offer)
    if let part = named.first(where: { !all.contains($0) }) {
      throw CommandError(
        .notFound, "\(offer.library) is not offered for \(part.words). List the offers: photobroker library offers")
    }
    (self.accept, self.offer, parts) = (accept, offer, named.isEmpty ? all : named)
    guard let part = all.first(where: { [parts] in !parts.contains($0) }) else {
      rest = nil
      return
    }
    guard let answer = part.answer(to: offer) else {
      throw CommandError(
        .failed, "This broker cannot answer one part of an offer. Leave \(part.other.option.typed) out.")
    }
    rest = (part, answer)
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
    (parts.contains(part) ? accept ? "accepted" : "declined" : rest?.answer) == answer
  }

  /// The question that confirms an acceptance.
  var question: String {
    guard let rest else {
      return "Accept \(offer.library), which user \(offer.owner) offers for \(OfferPart.words(parts))?"
    }
    return "Accept \(offer.library) of user \(offer.owner) for \(OfferPart.words(parts)) alone? \(remark(rest))"
  }

  /// A sentence about the effect of the answer.
  var outcome: String {
    let said =
      if accept {
        "\(offer.library) of user \(offer.owner) is accepted, for \(OfferPart.words(parts))."
      } else {
        switch parts {
        case [.programs]: "Your programs no longer see \(offer.library)."
        case [.coOwner]: "You are not a co-owner of \(offer.library)."
        default: "Your programs no longer see \(offer.library), and you are not its co-owner."
        }
      }
    return said + (rest.map { " " + remark($0) } ?? "")
  }

  private func remark(_ rest: (part: OfferPart, answer: String)) -> String {
    "It is offered for \(rest.part.words) too; your answer to that stays: \(OfferPart.shown(rest.answer))."
  }
}
