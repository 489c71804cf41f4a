import Catalogue
import PhotoModel
import Testing

struct EffortTests {
  @Test func `R40 the effort of a query depends on visible rows only`() throws {
    var random = Rows(seed: 5)
    let rows = (0..<500).map { _ in
      var row = random.next()
      row.flags = []
      return row
    }
    let catalogue = try Catalogue(rows)
    let alone = try Catalogue(Array(rows.prefix(20)))
    let numbers = rows.prefix(20).map(\.number)
    var query = Query()
    query.favourite = true
    query.createdFrom = Timestamp(microseconds: 0)
    #expect(catalogue.effort(query, in: .full()) == 0)
    query = Query()
    query.text = "img"
    #expect(catalogue.effort(query, in: .full()) == 500)
    #expect(catalogue.effort(query, in: .limited(catalogue.selection(of: numbers))) == 20)
    #expect(alone.effort(query, in: .limited(alone.selection(of: numbers))) == 20)
    query = Query()
    query.sort = .duration
    #expect(catalogue.effort(query, in: .limited(catalogue.selection(of: numbers))) == 20)
  }
}
