import Broker
import Limits

extension Reason {
  /// - Parameters:
  /// - count: Number of new photos without room.
  /// - limit: Most photos in all users' libraries.
  static func waiting(_ count: Int, limit: Int) -> Reason {
    Reason(
      .photosWait,
      "\(Amount.count(count, "new photo")) not added: the broker has room for \(limit) photos of all users, and this "
        + "user's share is used up. Known photos stay, and new ones are added as soon as there is room. Remove a "
        + "library that is not used, or have the administrator start photobrokerd with a larger number after "
        + "--photos. Deleted photos make room only in their own library for a while, because they may come back.",
      ["count": "\(count)", "limit": "\(limit)"])
  }
}
