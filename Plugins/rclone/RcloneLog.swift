import PhotoModel
import PluginKit

/// What rclone says of a listing: a server of plain HTTP is asked for each file, and of one for
/// which it does not answer as it should rclone prints no line and does not fail; only its log
/// tells.
struct RcloneLog {
  /// For a run whose standard error this reads: a JSON object a line.
  /// What servers answer is told without bodies, and rclone blackens the account in it.
  static let flags = ["--log-level", "DEBUG", "--use-json-log", "--dump", "headers"]
  private static let skipping = "skipping because of error: "
  /// An item of a WebDAV listing for which the server says something else than that it is there.
  private static let ignoring = "Ignoring item with bad status "
  /// What a line may be: a path of 4,096 bytes, escaped.
  private static let lineBytes = 65_536

  private var unread: [UInt8] = []
  /// Of what the listing lacks, though it may be there: paths below the remote's root; an empty one
  /// stands for anything.
  private(set) var lost: Set<ExactText> = []
  private var answers = ListingAnswers()

  /// Whether a server answered a question for a folder's list with something else, such as a page
  /// to sign in: rclone may take that for an empty folder.
  var hasForeignAnswer: Bool { answers.areForeign }

  /// - Returns: What it complains about in words, a line each; empty where it complains about nothing.
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

  /// Whether a line is a complaint.
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
        // A folder, or a file: another name of it may be known.
        lost.insert(ExactText(FileKind(object) == .other ? object : StorageFolder(of: object).path))
        return false
      }
      // The server says that there is no such file.
      guard message.hasPrefix(Self.skipping), message != Self.skipping + "object not found" else { return false }
      // Another name of it may be known: what else its folder has is not gone for certain.
      if FileKind(object) != .other { lost.insert(ExactText(StorageFolder(of: object).path)) }
      return false
    case "info", "notice": return false
    default:
      if RemotePath.isLocator(object) { lost.insert(ExactText(object)) }
      return true
    }
  }
}
