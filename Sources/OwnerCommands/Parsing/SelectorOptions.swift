import BrokerInterface
import Limits

/// The options that choose assets, and their selector.
enum SelectorOptions {
  static let id = CommandOption("id", "ID", "these assets, by the owner's identifiers", count: .several)
  static let glob = CommandOption(
    "glob", "PATTERN", "assets whose path matches: * within a name, ** across folders, ? one character")
  static let album = CommandOption(
    "album", "ALBUM", "members of this album, by its title or as album list names it",
    values: .listed([.albums]))
  static let from = CommandOption(
    "from", "DATE", "taken at this time or later, for instance 2024-07-01, july, last week, or 30d")
  static let before = CommandOption("before", "DATE", "taken before this time")
  static let name = CommandOption("name", "FILE", "with exactly this file name")
  static let type = CommandOption("type", "TYPE", "image or video", values: .words(AccessWords.mediaTypes))
  static let favorite = CommandOption("favorite", "only favourites")
  static let hidden = CommandOption("hidden", "only hidden ones")
  static let neverShare = CommandOption("never-share", "only never-share ones")
  static let onlyFavorites = CommandOption("only-favorites", "only favourites")
  static let onlyHidden = CommandOption("only-hidden", "only hidden ones")
  static let onlyNeverShare = CommandOption("only-never-share", "only never-share ones")
  static let last = CommandOption("last", "N", "the last N by date, of those that match everything else")
  static let all = CommandOption("all", "everything")

  /// Beside the other options, for a selection that stays up to date.
  static let live = CommandOption(
    "live", "keep the selection up to date: what fits later joins, what no longer fits leaves")

  static let notLive = CommandOption("not-live", "end a live selection: it stays as it is now")

  /// The options of most commands.
  static let table = [id, glob, album, from, before, name, type, favorite, hidden, neverShare, last, all]
  /// The options of `asset mark`, where `--favorite` and its like set marks.
  static let markTable = [
    id, glob, album, from, before, name, type, onlyFavorites, onlyHidden, onlyNeverShare, last, all,
  ]

  static let help =
    "An asset must match all options that choose assets: --type image --from 2024-07 --last 10 means "
    + "the last ten images taken since July 2024. At least one is needed; --all means everything."

  static let liveHelp =
    "With --live the selection stays up to date: what fits later joins by itself. --live goes with --album, --glob "
    + "'folder/**', --from, --before, --type and --favorite; grant unselect still takes single photos out. "

  /// Whether a selector can choose more assets than an app may see without a question.
  static func isLarge(_ selector: Admin.Selector) -> Bool {
    let most = [selector.last, selector.identifiers.map { Int64($0.count) }].compactMap { $0 }.min()
    return most ?? .max > Invocation.largeWidening
  }

  /// The selector of the options; nil without any.
  ///
  /// - Throws: `usage`.
  static func selector(_ arguments: Arguments) throws(CommandError) -> Admin.Selector? {
    var selector = Admin.Selector()
    if arguments.has(id) {
      let identifiers = arguments.all(id).flatMap { $0.split(separator: ",").map(String.init) }
      // Probably an empty variable of a script.
      guard !identifiers.isEmpty else {
        throw .usage("\(id.typed) is empty and would choose nothing; give an identifier.")
      }
      guard identifiers.count <= BrokerLimits.selectorIdentifiers else {
        throw .usage(
          "At most \(BrokerLimits.selectorIdentifiers) identifiers in one command; use several, or a filter.")
      }
      selector.identifiers = identifiers
    }
    for option in [glob, album, name] where arguments[option]?.isEmpty == true {
      throw .usage(
        "\(option.typed) is empty and would match nothing; give a pattern or a part of a name, or use --all.")
    }
    selector.glob = arguments[glob]
    selector.album = arguments[album]
    selector.createdFrom = try arguments.past(from)
    selector.createdBefore = try arguments.past(before)
    selector.filename = arguments[name]
    selector.mediaType = arguments[type]
    // `asset mark` has other names for these flags.
    let isMarking = arguments.path == ["asset", "mark"]
    if arguments.has(isMarking ? onlyFavorites : favorite) { selector.favorite = true }
    if arguments.has(isMarking ? onlyHidden : hidden) { selector.hidden = true }
    if arguments.has(isMarking ? onlyNeverShare : neverShare) { selector.neverShare = true }
    selector.last = try arguments.integer(last, in: 0...Int64(Int32.max))
    if arguments.has(all) { selector.all = true }
    return selector == Admin.Selector() ? nil : selector
  }

  /// The selector of the options.
  ///
  /// - Throws: `usage`, also without any option.
  static func required(_ arguments: Arguments) throws(CommandError) -> Admin.Selector {
    guard let selector = try selector(arguments) else {
      throw .usage(
        "Choose assets: --id, --glob, --album, --from, --before, --name, --type, a mark, --last or --all.")
    }
    return selector
  }
}
