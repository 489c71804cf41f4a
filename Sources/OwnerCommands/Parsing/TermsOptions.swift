import BrokerInterface
import Limits

/// The options that set a grant's terms.
enum TermsOptions {
  private static let location = CommandOption("location", "let the app know places")
  private static let noLocation = CommandOption("no-location", "withhold places, also from files and dates")
  private static let captions = CommandOption("captions", "let the app know captions and names of people")
  private static let noCaptions = CommandOption("no-captions", "withhold captions and names, also from files")
  private static let files = CommandOption("files", "let the app read files")
  private static let picturesOnly = CommandOption("pictures-only", "withhold files, and deliver pictures of them")
  private static let pixels = CommandOption(
    "pixels", "N", "withhold files, and deliver pictures whose longest edge is at most N pixels, 256 to 2560")
  private static let changes = CommandOption("changes", "let the app edit, add and delete")
  private static let readOnly = CommandOption("read-only", "let the app see, but change nothing")
  private static let deletions = CommandOption(
    "deletions", "RIGHT", "ask: you confirm each deletion; allow: the app deletes without asking; never",
    values: .words(["ask", "allow", "never"]))
  private static let photosPerDay = CommandOption(
    "photos-per-day", "N",
    "pause the app if it takes more different photos in a day; 0: no limit, not even the default")
  private static let photosPerHour = CommandOption(
    "photos-per-hour", "N", "pause the app if it takes more different photos in an hour; 0: no limit")
  private static let bytesPerDay = CommandOption(
    "bytes-per-day", "SIZE", "pause the app if it takes more bytes in a day, for instance 2G; 0: no limit")
  private static let bytesPerHour = CommandOption(
    "bytes-per-hour", "SIZE", "pause the app if it takes more bytes in an hour, for instance 500M; 0: no limit")

  /// The options of a pick, which changes nothing.
  static let ofPick = [location, noLocation, captions, noCaptions, files, picturesOnly, pixels]
  static let table =
    ofPick + [changes, readOnly, deletions, photosPerDay, photosPerHour, bytesPerDay, bytesPerHour]

  /// Nil: no option.
  /// - Throws: `usage` for an option with its opposite.
  static func terms(_ arguments: Arguments) throws(CommandError) -> Admin.Terms? {
    let range = Int64(BrokerLimits.picturePixels.lowerBound)...Int64(BrokerLimits.picturePixels.upperBound)
    let size = try arguments.integer(pixels, in: range)
    guard size == nil || !arguments.has(files) else {
      throw .usage("\(files.typed) excludes \(pixels.typed). Leave one out.")
    }
    let terms = Admin.Terms(
      location: try arguments.choice(location, noLocation),
      captions: try arguments.choice(captions, noCaptions),
      files: try arguments.choice(files, picturesOnly) ?? size.map { _ in false }, pixels: size,
      changes: try arguments.choice(changes, readOnly), deletions: arguments[deletions],
      photosPerDay: try arguments.integer(photosPerDay, in: AllowanceChoices.photos),
      photosPerHour: try arguments.integer(photosPerHour, in: AllowanceChoices.photos),
      bytesPerDay: try arguments.bytes(bytesPerDay, in: AllowanceChoices.bytes),
      bytesPerHour: try arguments.bytes(bytesPerHour, in: AllowanceChoices.bytes))
    return terms == Admin.Terms() ? nil : terms
  }
}
