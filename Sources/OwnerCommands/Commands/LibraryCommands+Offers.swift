import BrokerInterface

/// Libraries of others that are offered to the caller's programs.
extension LibraryCommands {
  static let offers = Command(
    "offers", "List what others offer to your programs",
    discussion: "Anybody may offer a library to anybody; library decline lets your programs hear nothing of one."
  ) { invocation throws(CommandError) in
    try invocation.report(invocation.call(Admin.ListOffers.self, .init())) { reply in
      var table = Table("NAME", "OWNER", "DECLINED")
      for offer in reply.offers { table.add(offer.library, "\(offer.owner)", offer.declined ? "yes" : "no") }
      invocation.print(table, whenEmpty: "Nobody offers you a library.")
    }
  }

  static let decline = Command(
    "decline", "Let your programs hear nothing of a library that somebody offers", [.library],
    discussion: "It holds at once, and also where it is offered again; library accept takes it back."
  ) { invocation throws(CommandError) in
    try answer(invocation, accept: false)
  }

  static let accept = Command(
    "accept", "Let your programs know again of a library that you declined", [.library]
  ) { invocation throws(CommandError) in
    try answer(invocation, accept: true)
  }

  private static func answer(_ invocation: Invocation, accept: Bool) throws(CommandError) {
    let name = invocation.arguments[.library]
    try invocation.report(invocation.call(Admin.AnswerOffer.self, .init(library: name, accept: accept))) { reply in
      invocation.say(accept ? "Your programs know of \(name)." : "For your programs there is no \(name) any more.")
      if !Words.isEmpty(reply.receipt) { for line in Words.receipt(reply.receipt) { invocation.print(line) } }
    }
  }
}
