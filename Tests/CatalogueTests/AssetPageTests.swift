import Catalogue
import PhotoModel
import Testing

struct AssetPageTests {
  @Test(arguments: [1, 255, 256, 257, 2_100])
  func `A page holds the values of its rows`(count: Int) throws {
    var random = Rows(seed: UInt64(count))
    let rows = (0..<count).map { _ in random.next() }
    var catalogue = try Catalogue(rows)
    // Some lie behind the date order.
    for _ in 0..<5 { try catalogue.insert(random.next()) }
    var query = Query()
    query.sort = .fileName
    let positions = try catalogue.page(query, in: .owner, limit: count + 5).positions
    let page = catalogue.assets(positions)
    let expected = positions.map(catalogue.row)
    #expect(page.facts == expected.map(\.facts))
    for page in [page, AssetPage(expected)] {
      let names = page.withNames { names in page.facts.indices.map { String(decoding: names[$0], as: UTF8.self) } }
      #expect(names == expected.map(\.fileName))
    }
  }
}
