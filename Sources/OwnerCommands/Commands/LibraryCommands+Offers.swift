import BrokerInterface

/// What others offer to the caller's programs.
extension LibraryCommands {
  private static let offered = Operand("LIBRARY", "the library's name; left out with --from", count: .optional)
  private static let from = CommandOption("from", "UID", "whatever this user offers, now and later")

  static let offers = Command(
    "offers", "List what others offer to your programs",
    discussion: "Anybody may offer a library to anybody; library decline lets your programs hear nothing of one, or of all of somebody's."
  ) { invocation throws(CommandError) in
    try invocation.report(invocation.call(Admin.ListOffers.self, .init())) { reply in
      let declined = Set(reply.declinedUsers ?? [])
      var table = Table("NAME", "OWNER", "DECLINED")
      for offer in reply.offers {
        table.add(offer.library, "\(offer.owner)", declined.contains(offer.owner) ? "all of theirs" : offer.declined ? "yes" : "no")
      }
      invocation.print(table, whenEmpty: "Nobody offers you a library.")
      if !declined.isEmpty { invocation.print("Whatever these users offer is declined: \(users(declined.sorted())).") }
    }
  }

  static let decline = Command(
    "decline", "Let your programs hear nothing of a library that somebody offers, or of all that somebody offers", [offered],
    options: [from], discussion: "It holds at once, and also for what is offered again or later; library accept takes it back."
  ) { invocation throws(CommandError) in
    try answer(invocation, accept: false)
  }

  static let accept = Command(
    "accept", "Let your programs know again of a library, or of all that somebody offers, that you declined", [offered], options: [from]
  ) { invocation throws(CommandError) in
    try answer(invocation, accept: true)
  }

  private static func answer(_ invocation: Invocation, accept: Bool) throws(CommandError) {
    let name = invocation.arguments.all(offered).first
    let user = try invocation.arguments.integer(from, in: 0...Int64(UInt32.max - 1))
    switch (name, user) {
    case (let name?, nil):
      try invocation.report(invocation.call(Admin.AnswerOffer.self, .init(library: name, accept: accept))) { reply in
        invocation.say(accept ? "Your programs know of \(name)." : "For your programs there is no \(name) any more.")
        say(reply.receipt, invocation)
      }
    case (nil, let user?):
      try invocation.report(invocation.call(Admin.AnswerOffers.self, .init(user: user, accept: accept))) { reply in
        invocation.say(
          accept
            ? "Your programs know of what user \(user) offers."
            : "For your programs there is nothing of what user \(user) offers, now or later.")
        say(reply.receipt, invocation)
      }
    default: throw .usage("Say which: a library, or \(from.typed) for whatever a user offers.")
    }
  }

  private static func say(_ receipt: Admin.Receipt, _ invocation: Invocation) {
    if !Words.isEmpty(receipt) { for line in Words.receipt(receipt) { invocation.print(line) } }
  }
}
