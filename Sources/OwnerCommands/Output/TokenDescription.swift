import Accounts
import Macaroons
import PhotoModel
import Varlink

/// A token's identifier and restrictions, without its signature.
struct TokenDescription {
  let accessor: String
  let restrictions: TokenRestrictions

  /// - Throws: `badData` for a token that allows nothing or that no broker understands.
  init(_ token: Macaroon) throws(CommandError) {
    // Our broker's identifiers are 32 hexadecimal digits; others are from elsewhere.
    accessor = String(decoding: token.identifier, as: UTF8.self)
    do { restrictions = try token.claimedRestrictions() } catch { throw CommandError(.badData, error.message) }
  }

  private var assets: [String]? {
    restrictions.assets.map { $0.sorted().map { Hex.text($0) } }
  }

  /// Whether the restrictions rule out every call.
  var allowsNothing: Bool {
    restrictions.verbs.isEmpty || restrictions.assets?.isEmpty ?? false || restrictions.uses == 0
      || (restrictions.createdFrom ?? .min) >= (restrictions.createdBefore ?? .max)
  }

  private var albums: [String] { restrictions.albums.sorted().map { Hex.text($0) } }

  private static func microseconds(_ seconds: Int64?) -> Int64? {
    seconds.map { $0.multipliedReportingOverflow(by: 1_000_000).partialValue }
  }

  private var taken: [String] {
    [
      Self.microseconds(restrictions.createdFrom).map { "from \(Words.moment($0)) on" },
      Self.microseconds(restrictions.createdBefore).map { "before \(Words.moment($0))" },
    ].compactMap { $0 }
  }

  var rows: [(String, String?)] {
    [
      ("accessor", accessor), ("library", restrictions.library ?? "any"), ("app", restrictions.app ?? "any"),
      ("user", restrictions.uid.map { AccountNames.words(Int64($0)) } ?? "any"),
      ("level", restrictions.level.map { AccessWords.levels.shown($0.rawValue) } ?? "any"),
      ("verbs", restrictions.verbs.names.joined(separator: ", ")),
      ("ends", Self.microseconds(restrictions.before).map { Words.moment($0) } ?? "never"),
      ("without", restrictions.withheld.isEmpty ? "nothing" : restrictions.withheld.names.joined(separator: ", ")),
      ("pictures", restrictions.pixels.map { "up to \($0) pixels" } ?? "as the grant says"),
      ("uses", restrictions.uses.map { "\($0)" } ?? "not counted"),
      ("bytes", restrictions.bytes.map { "\($0)" } ?? "not counted"),
      ("assets", assets.map { $0.joined(separator: ", ") } ?? "as the grant says"),
      ("albums", albums.isEmpty ? "any" : "in " + albums.joined(separator: " and ")),
      ("taken", taken.isEmpty ? "at any time" : taken.joined(separator: ", ")),
    ]
  }

  /// The JSON document. Missing restrictions are absent; Times are in microseconds since
  /// 1970.
  var document: JSONObject {
    var document: JSONObject = ["accessor": .string(accessor)]
    document["library"] = restrictions.library.map(JSONValue.string)
    document["app"] = restrictions.app.map(JSONValue.string)
    document["uid"] = restrictions.uid.map { .integer(Int64($0)) }
    document["level"] = restrictions.level.map { .string($0.rawValue) }
    document["verbs"] = .array(restrictions.verbs.names.map(JSONValue.string))
    document["before"] = Self.microseconds(restrictions.before).map(JSONValue.integer)
    if !albums.isEmpty { document["albums"] = .array(albums.map(JSONValue.string)) }
    document["createdFrom"] = Self.microseconds(restrictions.createdFrom).map(JSONValue.integer)
    document["createdBefore"] = Self.microseconds(restrictions.createdBefore).map(JSONValue.integer)
    if !restrictions.withheld.isEmpty {
      document["without"] = .array(restrictions.withheld.names.map(JSONValue.string))
    }
    document["pixels"] = restrictions.pixels.map { .integer(Int64($0)) }
    document["uses"] = restrictions.uses.map(JSONValue.integer)
    document["bytes"] = restrictions.bytes.map(JSONValue.integer)
    document["assets"] = assets.map { .array($0.map(JSONValue.string)) }
    return document
  }

  /// Parses a list of verbs or facts.
  ///
  /// - Throws: `usage`.
  static func options<Options: OptionSet>(
    _ text: String, _ kind: String, _ all: Options, _ names: (Options) -> [String], _ option: (String) -> Options?
  ) throws(CommandError) -> Options where Options.Element == Options {
    let known = "Known: \(names(all).joined(separator: ", "))."
    var options: Options = []
    for word in text.split(separator: ",").map(String.init) {
      guard let named = option(word) else {
        throw .usage("There is no \(kind) \(word). \(NearestWord.hint(for: word, among: names(all)) ?? known)")
      }
      options.formUnion(named)
    }
    guard !options.isEmpty else { throw .usage("Name at least one \(kind). \(known)") }
    return options
  }

  /// Parses an identifier of an asset or album.
  ///
  /// - Throws: `usage`.
  static func identifier(_ text: Substring, of what: String) throws(CommandError) -> UInt128 {
    guard let identifier: UInt128 = Hex.number(text.lowercased()) else {
      throw .usage("\(text) is no identifier of an \(what): 32 hexadecimal digits, as the app receives it.")
    }
    return identifier
  }
}
