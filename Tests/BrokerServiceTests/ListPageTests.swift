import Broker
import Limits
import Testing
import Varlink

@testable import BrokerService

/// No page is longer than one message, however long the list.
@Suite struct ListPageTests {
  private func page(_ texts: [(Int64, String)], after cursor: String? = nil) throws -> ListPage<JSONObject> {
    try ListPage(texts, after: cursor, key: { String.key($0.0) }) { ["number": .integer($0.0), "text": .string($0.1)] }
  }

  private func numbers(_ page: ListPage<JSONObject>) -> [Int64] {
    page.items.map { if case .integer(let number)? = $0["number"] { number } else { -1 } }
  }

  @Test func `a short list is one page`() throws {
    let whole = try page([(1, "a"), (2, "b")])
    #expect(numbers(whole) == [1, 2] && whole.cursor == nil)
    #expect(try page([]).cursor == nil)
  }

  @Test func `a long list comes in pages that fit a message, every item once`() throws {
    let all = (1...2_000 as ClosedRange<Int64>).map { ($0, String(repeating: "\"", count: 1_000)) }
    var (told, cursor, pages): ([Int64], String?, Int) = ([], nil, 0)
    repeat {
      let next = try page(all, after: cursor)
      var writer = JSONWriter()
      next.items.encode(to: &writer)
      #expect(writer.count < WireLimits.frameBytes)
      told += numbers(next)
      cursor = next.cursor
      pages += 1
    } while cursor != nil
    #expect(told == all.map(\.0) && pages > 3)
  }

  @Test func `additions and removals between two pages leave nothing else out`() throws {
    let all = (1...2_000 as ClosedRange<Int64>).map { ($0 * 2, String(repeating: "x", count: 1_000)) }
    let first = try page(all)
    let last = try #require(numbers(first).last)
    let second = try page(all.filter { $0.0 != last && $0.0 != last + 2 } + [], after: first.cursor)
    #expect(numbers(second).first == last + 4)
    let other = try page((all + [(last + 1, "y")]).sorted { $0.0 < $1.0 }, after: first.cursor)
    #expect(numbers(other).first == last + 1)
  }

  @Test func `an invented cursor is refused by name`() throws {
    let long = String(repeating: "x", count: WireLimits.frameBytes)
    let given = try #require(try page([(1, long), (2, "b")]).cursor)
    for cursor in [
      "", "x", "0", String(repeating: "0", count: 35), given + "0", String(given.dropLast()), "0" + given.dropFirst(17),
    ] {
      let refusal = #expect(throws: CallFailure.self, "\(cursor)") { try page([(1, "a")], after: cursor) }
      guard case .broker(let error)? = refusal, error.code == .invalidCursor else {
        Issue.record("\(cursor)")
        continue
      }
    }
  }

  @Test func `a single item is returned whatever its length`() throws {
    let long = String(repeating: "x", count: WireLimits.frameBytes)
    let first = try page([(1, long), (2, "b")])
    #expect(numbers(first) == [1] && first.cursor != nil)
    #expect(try numbers(page([(1, long), (2, "b")], after: first.cursor)) == [2])
    #expect(ListPage.fitting([["text": .string(long)] as JSONObject, [:]]) == 1)
    #expect(ListPage<JSONObject>.fitting([]) == 0 && ListPage.fitting([[:], [:]] as [JSONObject]) == 2)
  }

  @Test func `items of other pages are not computed`() throws {
    let all = (1...2_000 as ClosedRange<Int64>).map { ($0, String(repeating: "x", count: 1_000)) }
    var made: [Int64] = []
    func page(after cursor: String? = nil) throws -> ListPage<JSONObject> {
      try ListPage(all, after: cursor, key: { String.key($0.0) }) { entry -> JSONObject in
        made.append(entry.0)
        return ["number": .integer(entry.0), "text": .string(entry.1)]
      }
    }
    let first = try page()
    let last = try #require(numbers(first).last)
    #expect(made == Array(1...last + 1), "the first item of the next page is the one that did not fit")
    made = []
    let second = try page(after: first.cursor)
    #expect(numbers(second).first == last + 1 && made.first == last + 1 && made.count == second.items.count + 1)
  }
}
