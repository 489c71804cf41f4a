import Catalogue
import PhotoModel

/// Which of the new assets of a batch are assets that were away.
///
/// As strict as the look itself where it tells moved files from new ones: first what stays with a
/// file, there first its own place, then the same bytes in the same place. Where no original is
/// back, one of the other files brings its asset back, and the original joins that.
struct ReturningAssets {
  private var assets: [Int: AwayAsset] = [:]

  /// - Parameters:
  ///   - mutations: The batch.
  ///   - away: What its originals may be, or may be of.
  init(_ mutations: [AssetMutation], among away: [AwayAsset], in library: LibraryState) {
    let oldest = library.environment.now.advanced(by: .zero - AwayAsset.patience)
    // Of one number or identifier there is one asset, whatever a store says.
    var rest = away.filter { asset in
      asset.since >= oldest && library.catalogue.position(of: asset.record.row.number) == nil
        && library.catalogue.position(of: asset.record.row.identifier) == nil
    }
    guard !rest.isEmpty else { return }
    let files = mutations.enumerated().compactMap { index, mutation in Self.original(mutation).map { (index, $0) } }
    let rules: [(ResourceRecord, ResourceRecord) -> Bool] = [
      { $0.isKnown(by: $1) && $0.lies(at: $1) }, { $0.isKnown(by: $1) }, { $0.lies(at: $1) && $0.hasSameBytes(as: $1) },
    ]
    for resources in [\AwayAsset.originals, \.companions] {
      for rule in rules {
        for (index, file) in files where assets[index] == nil {
          // The latest: an earlier one in its place was another photo, or the same one before.
          let found = rest.indices.filter { rest[$0][keyPath: resources].contains { own in rule(own, file) } }
            .max { rest[$0].record.row.number < rest[$1].record.row.number }
          if let found { assets[index] = rest.remove(at: found) }
        }
      }
    }
  }

  /// What the mutation of this index is, which inserts an asset; nil: a new one.
  subscript(index: Int) -> AwayAsset? { assets[index] }

  /// The files by which new assets of a batch can be known.
  static func originals(_ mutations: [AssetMutation]) -> [ResourceRecord] { mutations.compactMap(original) }

  private static func original(_ mutation: AssetMutation) -> ResourceRecord? {
    guard case .insert(let record) = mutation else { return nil }
    return record.resources.first { $0.role == .original }
  }
}
