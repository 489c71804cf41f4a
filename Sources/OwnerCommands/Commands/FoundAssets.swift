import BrokerInterface
import Varlink

/// The first of what a choice finds in a library, newest first, and how many there are in all.
struct FoundAssets {
  private(set) var assets: [Admin.OwnedAsset] = []
  private(set) var total: Int64 = 0
  /// Names all of them, where they are chosen for a selection.
  private(set) var outcome: String?

  /// How many are asked for at once: with the longest paths a reply still fits a message.
  static let pageLimit: Int64 = 200

  /// - Throws: what the broker answered.
  init(
    _ parameters: Admin.FetchOwnedAssets.Parameters, limit: Int64, skip: Int64 = 0, _ invocation: Invocation
  ) throws(CommandError) {
    var parameters = parameters
    repeat {
      parameters.limit = min(Self.pageLimit, limit - Int64(assets.count))
      parameters.skip = skip + Int64(assets.count)
      let page = try invocation.call(Admin.FetchOwnedAssets.self, parameters).value
      (total, outcome) = (page.total, page.outcome)
      if page.assets.isEmpty { break }
      assets += page.assets
    } while Int64(assets.count) < limit && skip + Int64(assets.count) < total
  }

  /// Whether none is left out.
  var isAll: Bool { Int64(assets.count) == total }
  /// Exactly these, whatever comes into the library meanwhile.
  var selector: Admin.Selector { Admin.Selector(identifiers: assets.map(\.identifier)) }
  var json: JSONObject { ["assets": JSONValue(assets), "total": .integer(total)] }
}
