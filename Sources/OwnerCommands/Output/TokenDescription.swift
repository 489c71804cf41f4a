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
  }

  var rows: [(String, String)] {
    [
      ("accessor", accessor), ("library", restrictions.library ?? "any"), ("app", restrictions.app ?? "any"),
      ("user", restrictions.uid.map { AccountNames.words(Int64($0)) } ?? "any"),
      ("level", restrictions.level?.rawValue ?? "any"),
      ("verbs", restrictions.verbs.names.joined(separator: ", ")),
      (
        "before",
        restrictions.before.map { Words.moment($0.multipliedReportingOverflow(by: 1_000_000).partialValue) }
          ?? "never ends"
      ),
      ("without", restrictions.withheld.isEmpty ? "-" : restrictions.withheld.names.joined(separator: ", ")),
      ("uses", restrictions.uses.map { "\($0)" } ?? "not counted"),
      ("bytes", restrictions.bytes.map { "\($0)" } ?? "not counted"),
      ("assets", assets.map { $0.joined(separator: ", ") } ?? "as the grant says"),
    ]
  }

  /// The JSON document. Missing restrictions are absent; `before` is in microseconds since 1970.
  var document: JSONObject {
    var document: JSONObject = ["accessor": .string(accessor)]
    document["library"] = restrictions.library.map(JSONValue.string)
    document["app"] = restrictions.app.map(JSONValue.string)
    document["uid"] = restrictions.uid.map { .integer(Int64($0)) }
    document["level"] = restrictions.level.map { .string($0.rawValue) }
    document["verbs"] = .array(restrictions.verbs.names.map(JSONValue.string))
    document["before"] = restrictions.before.map {
      .integer($0.multipliedReportingOverflow(by: 1_000_000).partialValue)
    }
    if !restrictions.withheld.isEmpty {
      document["without"] = .array(restrictions.withheld.names.map(JSONValue.string))
    }
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

  /// Parses an asset's identifier.
  ///
  /// - Throws: `usage`.
  static func asset(_ text: Substring) throws(CommandError) -> UInt128 {
    guard let asset: UInt128 = Hex.number(text.lowercased()) else {
      throw .usage("\(text) is not an asset's identifier: 32 hexadecimal digits, as the app receives it.")
    }
    return asset
  }
}
