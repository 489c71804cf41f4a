import Foundation

/// A photo's facts by exiftool and a second decoder.
struct ManifestRow: Sendable {
  let file: String
  private let columns: [String: String]

  subscript(_ column: String) -> String { columns[column] ?? "" }

  static func all() throws -> [ManifestRow] {
    let text = try String(contentsOf: MediaWorker.photos.appendingPathComponent("manifest.tsv"), encoding: .utf8)
    let lines = text.split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
    guard let names = lines.first else { return [] }
    return lines.dropFirst().map { values in
      ManifestRow(file: values[0], columns: Dictionary(uniqueKeysWithValues: zip(names, values)))
    }
  }
}
