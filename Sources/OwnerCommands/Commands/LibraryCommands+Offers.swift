import BrokerInterface

/// Libraries that other users offer to the caller.
extension LibraryCommands {
  private static let offered = Operand("LIBRARY", "the library's name; left out with --from", count: .optional)
  private static let from = CommandOption(
    "from", "UID", "whatever this user offers, now and later; with accept: it may be offered again")

  static let offers = Command(
    "offers", "List what others offer to your programs",
    discussion: """
      Anybody may offer a library to anybody, and name anybody a co-owner. Until you accept one (library accept) your programs are taken \
      there only where they name it, and you decide nothing in it; library decline lets them hear nothing of it, or of all of somebody's.
      """
  ) { invocation throws(CommandError) in
    try invocation.report(invocation.callForAll(Admin.ListOffers.self, .init())) { reply in
      let declined = Set(reply.declinedUsers ?? [])
      var table = Table("NAME", "OWNER", "FOR", "ANSWER")
      for offer in reply.offers {
        let all = declined.contains(offer.owner)
        table.add(
          offer.library, "\(offer.owner)", OfferPart.words(OfferPart.all(of: offer)),
          all ? "all of theirs declined" : OfferPart.answers(to: offer))
      }
      invocation.print(table, whenEmpty: "Nobody offers you a library.")
      if !declined.isEmpty { invocation.print("Whatever these users offer is declined: \(users(declined.sorted())).") }
    }
  }

  static let decline = Command(
    "decline", "Let your programs hear nothing of a library that somebody offers, or of all that somebody offers",
    [offered],
    options: [from] + OfferPart.allCases.map(\.option),
    discussion: """
      It holds at once, and also for what is offered again or later; library accept takes it back. It declines being a co-owner too; \
      --programs or --co-owner declines one of the two, and what you said of the other stays.
      """
  ) { invocation throws(CommandError) in
    try answer(invocation, accept: false)
  }

  static let accept = Command(
    "accept", "Take a library that somebody offers, as co-owner too, or let somebody whom you declined offer again",
    [offered],
    options: [from] + OfferPart.allCases.map(\.option),
    discussion: """
      It says whose library it is and what it is offered for, and asks on a terminal; just that is accepted. Where it is offered to your \
      programs and you are to be its co-owner, --programs or --co-owner accepts one of the two, and what you said of the other stays. An app of yours that names no \
      library is taken to the only one that you accepted. What administrators offer is accepted.
      """
  ) { invocation throws(CommandError) in
    try answer(invocation, accept: true)
  }

  private static func answer(_ invocation: Invocation, accept: Bool) throws(CommandError) {
    let arguments = invocation.arguments
    let name = arguments.all(offered).first
    let user = try arguments.integer(from, in: 0...Int64(UInt32.max - 1))
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
            ? "User \(user) may offer you libraries; take single ones (library accept NAME)."
            : "For your programs there is nothing of what user \(user) offers, now or later.")
        say(reply.receipt, until: "you accept that again", invocation)
      }
    case (nil, _?):
      throw .usage("\(named[0].option.typed) goes with a library; \(from.typed) answers all that a user offers.")
    default: throw .usage("Say which: a library, or \(from.typed) for whatever a user offers.")
    }
  }

  private static func offer(_ name: String, _ invocation: Invocation) throws(CommandError) -> Admin.LibraryOffer {
    let offers = try invocation.callForAll(Admin.ListOffers.self, .init()).value.offers
    guard let offer = offers.first(where: { $0.library == name }) else {
      throw CommandError(.notFound, "Nobody offers you a library \(name); library offers shows those that are.")
    }
    return offer
  }

  /// Prints the receipt of excluded users, if it is not empty.
  static func say(_ receipt: Admin.Receipt, until end: String, _ invocation: Invocation) {
    if !Words.isEmpty(receipt) { for line in Words.restingReceipt(receipt, until: end) { invocation.print(line) } }
  }
}
