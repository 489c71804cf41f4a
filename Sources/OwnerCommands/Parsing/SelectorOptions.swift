import BrokerInterface
import Limits

/// The options that choose assets, and what they say to the broker.
enum SelectorOptions {
  static let id = CommandOption("id", "ID", "these assets, by the owner's identifiers", count: .several)
  static let glob = CommandOption("glob", "PATTERN", "assets whose path matches: * within a name, ** across folders, ? one character")
  static let from = CommandOption("from", "DATE", "taken at this time or later, for instance 2024-07-01, or -30d")
  static let before = CommandOption("before", "DATE", "taken before this time")
  static let name = CommandOption("name", "FILE", "with exactly this file name")
  static let type = CommandOption("type", "TYPE", "image or video", values: .words(AccessWords.mediaTypes))
  static let favorite = CommandOption("favorite", "only favourites")
  static let onlyFavorites = CommandOption("only-favorites", "only favourites")
  static let last = CommandOption("last", "N", "the last so many by date, after all other narrowing")
  static let all = CommandOption("all", "everything")

  /// All of them.
  static let table = [id, glob, from, before, name, type, favorite, last, all]
  /// All of them for `asset mark`, where `--favorite` is the mark.
  static let markTable = [id, glob, from, before, name, type, onlyFavorites, last, all]

  static let help = """
    The options that choose assets narrow each other: --type image --from 2024-07 --last 10 means the last ten images \
    taken since July 2024. At least one is needed; --all means everything.
    """

  /// What was chosen; nil where no option was given.
  ///
  /// - Throws: `usage`.
  static func selector(_ arguments: Arguments) throws(CommandError) -> Admin.Selector? {
    var selector = Admin.Selector()
    if arguments.has(id) {
      let identifiers = arguments.all(id).flatMap { $0.split(separator: ",").map(String.init) }
      guard identifiers.count <= BrokerLimits.selectorIdentifiers else {
        throw .usage("At most \(BrokerLimits.selectorIdentifiers) identifiers in one command; use several, or a filter.")
      }
      selector.identifiers = identifiers
    }
    for option in [glob, name] where arguments[option]?.isEmpty == true {
      throw .usage("\(option.typed) is empty and would match nothing; give a pattern or a part of a name, or use --all.")
    }
    selector.glob = arguments[glob]
    if let date = arguments[from] { selector.createdFrom = try Moment.parse(date, of: from.typed) }
    if let date = arguments[before] { selector.createdBefore = try Moment.parse(date, of: before.typed) }
    selector.filename = arguments[name]
    selector.mediaType = arguments[type]
    // The name of the flag differs between commands; a command declares one of the two.
    let isMarking = arguments.path == ["asset", "mark"]
    if arguments.has(isMarking ? onlyFavorites : favorite) { selector.favorite = true }
    selector.last = try arguments.integer(last, in: 0...Int64(Int32.max))
    if arguments.has(all) { selector.all = true }
    return selector == Admin.Selector() ? nil : selector
  }

  /// What was chosen.
  ///
  /// - Throws: `usage` where nothing was.
  static func required(_ arguments: Arguments) throws(CommandError) -> Admin.Selector {
    guard let selector = try selector(arguments) else {
      throw .usage("Say which assets: --id, --glob, --from, --before, --name, --type, --favorite, --last or --all.")
    }
    return selector
  }
}
