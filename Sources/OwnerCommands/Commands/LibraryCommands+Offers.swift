import Accounts
import BrokerInterface

/// Libraries that other users offer to the caller.
extension LibraryCommands {
  private static let offered = Operand(
    "LIBRARY", "the library's name; left out with --from", count: .optional, values: .listed([.offers]))
  private static let from = CommandOption(
    "from", "USER", "all offers of this user, now and later; a name or number", values: .listed([.users]))

  static let offers = Command(
    "offers", "List libraries that other users offer to you",
    discussion: """
      Anybody may offer you a library, for your programs or as its co-owner. Until you accept (library accept), your \
      programs use it only if they name it, and you decide nothing in it. library decline hides one library, or all \
      of a user, from your programs.
      """
  ) { invocation throws(CommandError) in
    try invocation.report(invocation.callForAll(Admin.ListOffers.self, .init())) { reply in
      let declined = Set(reply.declinedUsers ?? [])
      var table = Table("NAME", "OWNER", "FOR", "ANSWER")
      for offer in reply.offers {
        let all = declined.contains(offer.owner)
        table.add(
          offer.library, AccountNames.words(offer.owner), OfferPart.words(OfferPart.all(of: offer)),
          all ? "all declined" : OfferPart.answers(to: offer))
      }
      invocation.print(table, whenEmpty: "No library is offered to you.")
      if !declined.isEmpty { invocation.print("You declined all offers of \(users(declined.sorted())).") }
    }
  }

  static let decline = Command(
    "decline", "Decline an offered library, or all offers of a user",
    [offered],
    options: [from] + OfferPart.allCases.map(\.option),
    discussion: """
      It takes effect at once, and on later offers of the same too; library accept reverses it. It declines being a \
      co-owner too; --programs or --co-owner declines one part, and your answer to the other stays.
      """
  ) { invocation throws(CommandError) in
    try answer(invocation, accept: false)
  }

  static let accept = Command(
    "accept", "Accept an offered library, or let a user whom you declined offer again",
    [offered],
    options: [from] + OfferPart.allCases.map(\.option),
    discussion: """
      On a terminal it shows the owner and the parts of the offer, and asks; exactly that is accepted. --programs or \
      --co-owner accepts one part, and your answer to the other stays. An app that names no library uses the one \
      that you accepted, if it is the only one. Offers of administrators need no acceptance.
      """
  ) { invocation throws(CommandError) in
    try answer(invocation, accept: true)
  }

  private static func answer(_ invocation: Invocation, accept: Bool) throws(CommandError) {
    let arguments = invocation.arguments
    let name = arguments.all(offered).first
    let user = try arguments.user(from)
    let named = OfferPart.allCases.filter { arguments.has($0.option) }
    switch (name, user) {
    case (let name?, nil):
      let shown = try offer(name, invocation)
      let answer = try OfferAnswer(accept: accept, named, of: shown)
      if accept, invocation.console.canAsk { try invocation.confirm(answer.question) }
      try invocation.report(invocation.call(Admin.AnswerOffer.self, answer.parameters)) { reply in
        invocation.say(answer.outcome)
        say(reply.receipt, until: "you accept it again", invocation)
      }
    case (nil, let user?) where named.isEmpty:
      try invocation.report(invocation.call(Admin.AnswerOffers.self, .init(user: user, accept: accept))) { reply in
        invocation.say(
          accept
            ? "Offers of \(Words.user(user)) are shown again. Accept each one: photobroker library accept NAME"
            : "All offers of \(Words.user(user)) are declined, now and later. Your programs do not see them.")
        say(reply.receipt, until: "you accept that user's offers again", invocation)
      }
    case (nil, _?):
      throw .usage("\(named[0].option.typed) needs a library's name: \(from.typed) answers all offers of a user.")
    default: throw .usage("Name a library, or a user with \(from.typed).")
    }
  }

  private static func offer(_ name: String, _ invocation: Invocation) throws(CommandError) -> Admin.LibraryOffer {
    let offers = try invocation.callForAll(Admin.ListOffers.self, .init()).value.offers
    guard let offer = offers.first(where: { $0.library == name }) else {
      throw CommandError(.notFound, "No library \(name) is offered to you. List the offers: photobroker library offers")
    }
    return offer
  }

  /// Prints the receipt of excluded users, if it is not empty.
  static func say(_ receipt: Admin.Receipt, until end: String, _ invocation: Invocation) {
    if !Words.isEmpty(receipt) { for line in Words.restingReceipt(receipt, until: end) { invocation.print(line) } }
  }
}
