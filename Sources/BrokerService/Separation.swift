/// Whether programs of a user are really kept from the broker's files and from that user's decisions.
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
}
