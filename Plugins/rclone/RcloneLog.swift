import PhotoModel
import PluginKit

/// rclone's log of a listing. For a plain HTTP server rclone requests each file, omits a file if
/// its request fails, and still succeeds. Only the log names the omitted files.
struct RcloneLog {
  /// Arguments for a run whose standard error this type reads: JSON lines, with the headers of
  /// server answers but without bodies. rclone masks the account in them.
  static let flags = ["--log-level", "DEBUG", "--use-json-log", "--dump", "headers"]
  private static let skipping = "skipping because of error: "
  /// Prefix of the message about a WebDAV item with an error status.
  private static let ignoring = "Ignoring item with bad status "
  /// Maximum length of a line: a path of 4,096 bytes, escaped.
  private static let lineBytes = 65_536

  /// Whether a path may be a photo, a video or a sidecar.
  private let isMedia: (String) -> Bool
  private var unread: [UInt8] = []
  /// Paths below the remote's root that the listing omits although they may exist; an empty path
  /// stands for all.
  private(set) var lost: Set<ExactText> = []
  private var answers = ListingAnswers()

  init(isMedia: @escaping (String) -> Bool = { FileKind($0) != .other }) { self.isMedia = isMedia }

  /// Whether a server answered a list request with another page, such as a login form. rclone may
  /// take it for an empty folder.
  var hasForeignAnswer: Bool { answers.areForeign }

  /// - Returns: the error messages, one per line.
  mutating func take(_ piece: some Collection<UInt8>) -> [UInt8] {
    unread += piece
    var complaints: [UInt8] = []
    var start = unread.startIndex
    while let end = unread[start...].firstIndex(of: 0x0a) {
      let line = unread[start...end]
      if take(line: line) { complaints += line }
      start = end + 1
    }
    unread.removeSubrange(..<start)
    if unread.count > Self.lineBytes {
      unread = []
      lost.insert(ExactText(""))
    }
    return complaints
  }

  /// Returns whether the line is an error message.
  private mutating func take(line: ArraySlice<UInt8>) -> Bool {
    var reader = PrintedJSON(line)
    guard let fields = reader.object(), case .text(let level)? = fields["level"] else { return true }
    guard case .text(let message)? = fields["msg"] else { return !["debug", "info", "notice"].contains(level) }
    guard case .text(let object)? = fields["object"] else {
      if level == "debug" { answers.take(message) }
      return !["debug", "info", "notice"].contains(level)
    }
    switch level {
    case "debug":
      if message.hasPrefix(Self.ignoring), !message.contains(" 404 ") {
        // The item may be a folder, or a file with another name in that folder.
        lost.insert(ExactText(isMedia(object) ? StorageFolder(of: object).path : object))
        return false
      }
      // 404: the file does not exist.
      guard message.hasPrefix(Self.skipping), message != Self.skipping + "object not found" else { return false }
      // Its folder may hold known files under other names, which must not count as deleted.
      if isMedia(object) { lost.insert(ExactText(StorageFolder(of: object).path)) }
      return false
    case "info", "notice": return false
    default:
      if RemotePath.isLocator(object) { lost.insert(ExactText(object)) }
      return true
    }
  }
}
