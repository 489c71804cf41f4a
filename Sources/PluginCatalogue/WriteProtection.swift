import Glibc
import PluginHost
import PluginKit

/// Checks whether other users could replace a plugin, through its file, its folder or any parent.
enum WriteProtection {
  /// - Parameter users: users beside root who may write there.
  /// - Throws: `unsupported`, with the path, the users who can write to it, and a fix.
  static func check(_ path: String, trusting users: Set<UInt32>) throws(PluginFailure) {
    guard let resolved = realpath(path, nil) else { throw .system("\(path) cannot be checked", errno) }
    defer { free(resolved) }
    var place = String(cString: resolved)
    var isPlace = true
    while true {
      var facts = stat()
      guard lstat(place, &facts) == 0 else { throw .system("\(place) cannot be checked", errno) }
      guard facts.st_uid == 0 || users.contains(facts.st_uid) else {
        throw PluginFailure(
          .unsupported,
          """
          \(place) belongs to user \(facts.st_uid), who could replace the plugin. Give it to root or the broker's \
          user.
          """
        )
      }
      // In a sticky folder nobody can remove another user's entry.
      let isSticky = facts.st_mode & S_ISVTX != 0 && !isPlace
      let byGroup = facts.st_mode & S_IWGRP != 0 && facts.st_gid != 0
      guard isSticky || !byGroup && facts.st_mode & S_IWOTH == 0 else {
        let who = facts.st_mode & S_IWOTH != 0 ? "everybody" : "group \(facts.st_gid)"
        throw PluginFailure(
          .unsupported, "\(place) can be written by \(who), who could replace the plugin. Run chmod go-w on it.")
      }
      guard place != "/" else { return }
      isPlace = false
      place = place.lastIndex(of: "/").map { $0 == place.startIndex ? "/" : String(place[..<$0]) } ?? "/"
    }
  }
}
