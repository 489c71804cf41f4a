/// How far a user's programs are separated from the broker's files and from that user's decisions.
package struct Separation {
  package let isSeparated: Bool
  package let words: String

  package init(broker: UInt32, caller: UInt32) {
    isSeparated = broker != caller && caller != 0
    words =
      if caller == 0 {
        "Running as root: you can read everything."
      } else if broker == caller {
        "The broker runs as your own user: your programs can read your photos and decide for you. Run the broker as a "
          + "system service, or confine the programs."
      } else {
        "The broker runs as its own user. Your own programs can read everything that you can; apps of other users "
          + "cannot. To limit your own, confine them."
      }
  }

  /// The separation as the log states it at the start, for a broker with libraries of these owners.
  package static func atStart(broker: UInt32, owners: Set<UInt32>) -> String {
    if broker == 0 { return "the broker runs as root; give it a user of its own" }
    if owners.contains(broker) {
      return
        "user \(broker) runs the broker and owns a library, so this user's programs can read the photos and decide; "
        + "run the broker as a system service, or confine the programs"
    }
    if owners.isEmpty {
      return
        "there is no library yet; libraries of user \(broker), who runs the broker, will not be separated from this "
        + "user's programs"
    }
    return
      "user \(broker) runs the broker and owns no library; apps of other users than a library's owner cannot read its "
      + "files"
  }
}
