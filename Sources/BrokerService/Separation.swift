/// How far a user's programs are separated from the broker's files and from that user's decisions.
package struct Separation {
  package let isSeparated: Bool
  package let words: String

  package init(broker: UInt32, caller: UInt32) {
    isSeparated = broker != caller && caller != 0
    words =
      if caller == 0 {
        "You are root: nothing on this machine is kept from you."
      } else if broker == caller {
        "The broker runs as your own user: a program of yours that is not confined can read your photos and decide for you. "
          + "Run the broker as a system service, or run apps confined."
      } else {
        "The broker runs as a user of its own. Programs of your user that are not confined can still read what you can read; "
          + "apps under another user cannot."
      }
  }

  /// The separation as the log states it at the start, for a broker with libraries of these owners.
  package static func atStart(broker: UInt32, owners: Set<UInt32>) -> String {
    if broker == 0 { return "the broker runs as root; give it a user of its own" }
    if owners.contains(broker) {
      return
        "not separated: user \(broker) runs the broker and owns a library, so that programs of theirs that are not confined can "
        + "read the photos and decide for them; run the broker as a system service, or run apps confined"
    }
    if owners.isEmpty {
      return
        "there is no library yet: one of another user than \(broker) will be separated from that user's apps under further users, "
        + "one of user \(broker) from no app of theirs"
    }
    return
      "separated: user \(broker) runs the broker and owns no library; an app is kept from the photos where it runs under another "
      + "user than their owner"
  }
}
