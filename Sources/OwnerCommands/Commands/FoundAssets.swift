import BrokerInterface
import Varlink

/// The first matches of a selector in a library, newest first, and the number of all.
struct FoundAssets {
  private(set) var assets: [Admin.OwnedAsset] = []
  private(set) var total: Int64 = 0
  /// Identifies the complete set of matches for a later selection edit.
  private(set) var outcome: String?

  /// Assets per call. The broker answers with fewer if they fit no message.
  static let pageLimit: Int64 = 1_000

  /// - Throws: as `Invocation.call`.
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

  var isAll: Bool { Int64(assets.count) == total }
  /// Selects exactly these assets, also after new imports.
  var selector: Admin.Selector { Admin.Selector(identifiers: assets.map(\.identifier)) }
  var json: JSONObject { ["assets": .array(assets.map { JSONValue($0) }), "total": .integer(total)] }
  /// The same document, for many assets.
  var document: Admin.FetchOwnedAssets.Reply { .init(assets: assets, total: total) }
}
