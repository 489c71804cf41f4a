import Foundation
import MediaClient
import Testing
import UnixSocket

@Suite(.enabled(if: MediaWorker.hasPhotos, MediaWorker.noPhotos))
struct ManifestTests {
  @Test func `every photo's facts equal exiftool's, except explained differences`() throws {
    let client = MediaClient(programs: MediaWorker.folder)
    var unexplained: [String] = []
    var unused = Set(KnownDifferences.all.keys)
    for row in try ManifestRow.all() {
      let file = try MediaWorker.sealed(try MediaWorker.photo(row.file))
      let facts = try client.facts(of: file)
      let expected = Finding.expected(row)
      let actual = Finding.actual(facts)
      for column in Finding.columns where expected[column] != actual[column] {
        let key = "\(row.file) \(column)"
        unused.remove(key)
        if KnownDifferences.all[key]?.ours != actual[column] {
          unexplained.append("\(key): exiftool \(expected[column] ?? ""), worker \(actual[column] ?? "")")
        }
      }
    }
    #expect(unexplained.isEmpty, "\(unexplained.joined(separator: "\n"))")
    #expect(unused.isEmpty, "these no longer differ: \(unused)")
  }
}
