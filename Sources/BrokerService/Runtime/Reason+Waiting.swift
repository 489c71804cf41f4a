import Broker

extension Reason {
  /// - Parameters:
  /// - count: Number of new photos without room.
  /// - limit: Most photos in all users' libraries.
  static func waiting(_ count: Int, limit: Int) -> Reason {
    Reason(
      .photosWait,
      "\(count) new photo\(count == 1 ? " is" : "s are") not taken up: the broker has room for \(limit) photos of all users, and one user's "
        + "libraries have no more of them than are left for all others. What is known already stays, and what is new is taken up as soon as "
        + "there is room: remove a library that is not used, or have whoever runs the machine start photobrokerd with a larger number after "
        + "--photos. Photos that are deleted make room in their own library alone for a while, since they may be back.",
      ["count": "\(count)", "limit": "\(limit)"])
  }
}
