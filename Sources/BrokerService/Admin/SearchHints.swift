import BrokerInterface
import Catalogue
import Indexer
import PhotoModel

/// The folders and towns that a searched text may mean.
struct SearchHints: Sendable {
  private static let limit = 8

  let folders: [Admin.FoundFolder]
  let towns: [Admin.FoundTown]

  /// - Parameters:
  ///   - paths: The path of each asset's first file.
  ///   - towns: Nil if the table of towns is missing.
  init(
    _ text: String, among paths: [(asset: AssetNumber, locator: String)], in catalogue: Catalogue, towns: TownNames?
  ) {
    var query = Query()
    query.withoutFlags = .trashed
    let shown = catalogue.selection(matching: query, in: .owner)
    let folded = NameFold.fold(text)
    let counts = Self.folders(of: paths.lazy.filter { catalogue.contains($0.asset, in: shown) }.map(\.locator))
    folders = counts.filter { path, _ in
      !folded.isEmpty && NameFold.contains(text.contains("/") ? String(path) : Self.name(of: path), folded)
    }
    .sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.limit)
    .map { Admin.FoundFolder(path: String($0.key), count: Int64($0.value)) }
    // A text of combining marks alone is in every name.
    let named = folded.isEmpty ? [] : towns?.beginning(with: text) ?? []
    self.towns = zip(named, catalogue.counts(in: named.map(\.box), query, in: .owner)).filter { $0.1 > 0 }
      .sorted { ($1.1, $0.0.name) < ($0.1, $1.0.name) }.prefix(Self.limit)
      .map {
        Admin.FoundTown(town: AdminRecords.town($0.0), place: AdminRecords.place($0.0.box), count: Int64($0.1))
      }
  }

  /// The number of files in each folder and below it.
  private static func folders(of paths: some Sequence<String>) -> [Substring: Int] {
    var direct: [Substring: Int] = [:]
    for path in paths {
      if let folder = folder(of: path[...]) { direct[folder, default: 0] += 1 }
    }
    var all: [Substring: Int] = [:]
    for (folder, count) in direct {
      var next: Substring? = folder
      while let folder = next {
        all[folder, default: 0] += count
        next = self.folder(of: folder)
      }
    }
    return all
  }

  private static func folder(of path: Substring) -> Substring? {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[..<$0] }
  }

  private static func name(of path: Substring) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[$0...].dropFirst()) } ?? String(path)
  }
}
