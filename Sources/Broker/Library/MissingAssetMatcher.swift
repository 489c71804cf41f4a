import Catalogue
import PhotoModel

/// Matches new assets of a batch with missing assets.
///
/// It is as strict as the scan's matching of moved files: first by identity and place, then by
/// identity, then by place. The file must be unchanged or show the same picture. A companion file,
/// such as a RAW, can bring its asset back before the original, which joins it later.
struct MissingAssetMatcher {
  private var assets: [Int: (record: AssetRecord, row: AssetRow)] = [:]

  /// - Parameters:
  ///   - mutations: the batch.
  ///   - candidates: missing assets from the store. Some may have returned since.
  init(_ mutations: [AssetMutation], among candidates: [MissingAsset], in catalogue: Catalogue, at now: Timestamp) {
    var rest = candidates.filter { asset in
      let flags = catalogue.row(of: asset.record.row.number)?.flags
      return asset.mayReturn(at: now) && flags?.contains(.missing) == true
    }
    guard !rest.isEmpty else { return }
    let files = mutations.enumerated().compactMap { index, mutation in Self.original(mutation).map { (index, $0) } }
    for resources in [\MissingAsset.originals, \.companions] {
      for rule in Self.rules {
        for (index, file) in files where assets[index] == nil {
          // The latest match: an earlier asset at that place was another photo, or an earlier loss of
          // this one.
          let found = rest.indices.filter { rest[$0][keyPath: resources].contains { own in rule(own, file) } }
            .max { rest[$0].record.row.number < rest[$1].record.row.number }
          guard let found, let row = catalogue.row(of: rest[found].record.row.number) else { continue }
          assets[index] = (rest.remove(at: found).record, row)
        }
      }
    }
  }

  fileprivate static let rules: [@Sendable (ResourceRecord, ResourceRecord) -> Bool] = [
    { $0.isStill($1) && $0.lies(at: $1) }, { $0.isStill($1) }, { $0.lies(at: $1) && $0.isSamePicture(as: $1) },
  ]

  /// The missing asset that returns with the insertion at this index, as stored and as it is now;
  /// nil: it is a new asset.
  subscript(index: Int) -> (record: AssetRecord, row: AssetRow)? { assets[index] }

  /// The files that identify new assets of a batch.
  static func originals(_ mutations: [AssetMutation]) -> [ResourceRecord] { mutations.compactMap(original) }

  private static func original(_ mutation: AssetMutation) -> ResourceRecord? {
    guard case .insert(let record) = mutation else { return nil }
    return record.resources.first { $0.role == .original }
  }
}

extension AssetRecord {
  /// Whether this asset, when it is missing, returns with a new asset.
  package func returns(with found: AssetRecord) -> Bool {
    guard let file = found.resources.first(where: { $0.role == .original }) else { return false }
    return resources.contains { own in
      own.role != .sidecar && MissingAssetMatcher.rules.contains { rule in rule(own, file) }
    }
  }
}
