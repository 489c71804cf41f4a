import PhotoModel

/// A walk over one order between two places. It merges main part and tail, and visits assets that
/// match a plan.
struct OrderWalk {
  private let order: KeyOrder
  private let columns: Columns
  private let filter: RowFilter
  private let ascending: Bool
  private let sieve: BitSieve
  private let mainSieve: BitSieve
  private var main: Range<UInt32>
  private var tail: Range<Int>
  /// The tail's next matching asset, and the first main rank that does not come before it.
  private var pending: (slot: UInt32, rank: UInt32)?

  init(_ order: KeyOrder, _ plan: QueryPlan, _ columns: Columns, after cursor: SortPlace?, ascending: Bool) {
    (self.order, self.columns, self.ascending) = (order, columns, ascending)
    sieve = plan.sieve
    var filter = plan.filter
    var mainSieve = sieve
    mainSieve.exclude(order.moved)
    if !order.isIdentity {
      // Ranks are not slots here, and one set is tested faster than several.
      var collected = BitSieve()
      collected.require(mainSieve.collected(upTo: columns.count))
      mainSieve = collected
    }
    self.mainSieve = mainSieve
    var low: SortPlace?
    var high: SortPlace?
    var isEmpty = false
    if let created = plan.created {
      if order.key == filter.dateKey {
        low = .start(of: .integer(created.lowerBound))
        high = created.upperBound == .max ? nil : .start(of: .integer(created.upperBound + 1))
      } else {
        filter.created = created
      }
    }
    if let cursor {
      if ascending {
        if let next = cursor.successor { low = low.map { $0 < next ? next : $0 } ?? next } else { isEmpty = true }
      } else {
        high = high.map { cursor < $0 ? cursor : $0 } ?? cursor
      }
    }
    self.filter = filter
    let start = low.map { order.rank($0, columns) } ?? 0
    let end = high.map { order.rank($0, columns) } ?? order.ranks
    main = start..<max(start, isEmpty ? start : end)
    let first = low.map { order.tailIndex($0, columns) } ?? 0
    let last = high.map { order.tailIndex($0, columns) } ?? order.tail.count
    tail = first..<max(first, isEmpty ? first : last)
    if !tail.isEmpty, !Self.reachesTail(order, sieve, columns.count) { tail = first..<first }
    advanceTail()
  }

  /// Whether any asset of the tail passes the sieve. An app often sees none of the newest assets,
  /// and the duration must not reveal their number.
  private static func reachesTail(_ order: KeyOrder, _ sieve: BitSieve, _ count: UInt32) -> Bool {
    if sieve.count(in: order.mainSlots..<count) > 0 { return true }
    guard !order.moved.isEmpty else { return false }
    var moved = sieve
    moved.require(order.moved)
    return moved.count(in: 0..<order.mainSlots) > 0
  }

  /// Visits the assets in order until `body` returns false.
  mutating func forEach(_ body: (UInt32) -> Bool) {
    var goesOn = true
    if order.isIdentity {
      mainSieve.walk(main, ascending: ascending) { slot in
        goesOn = visit(rank: slot, slot: slot, body)
        return goesOn
      }
    } else {
      var rank = ascending ? main.lowerBound : main.upperBound
      while goesOn, ascending ? rank < main.upperBound : rank > main.lowerBound {
        if !ascending { rank -= 1 }
        let slot = order.slot(rank: rank)
        if mainSieve.contains(slot) { goesOn = visit(rank: rank, slot: slot, body) }
        if ascending { rank += 1 }
      }
    }
    while goesOn, let next = pending {
      goesOn = body(next.slot)
      advanceTail()
    }
  }

  /// Skips the first assets by counting bits, if sets alone decide.
  /// - Returns: Number of assets that the walk still has to skip.
  mutating func skip(_ count: Int) -> Int {
    guard count > 0, order.isIdentity, filter.isTrivial else { return count }
    var left = count
    while true {
      var segment = main
      if let pending {
        let rank = min(max(pending.rank, main.lowerBound), main.upperBound)
        segment = ascending ? main.lowerBound..<rank : rank..<main.upperBound
      }
      let rest = mainSieve.dropping(left, from: segment, ascending: ascending)
      left = rest.left
      let edge = ascending ? rest.range.lowerBound : rest.range.upperBound
      main = ascending ? edge..<main.upperBound : main.lowerBound..<edge
      guard rest.range.isEmpty, left > 0, pending != nil else { return left }
      left -= 1
      advanceTail()
    }
  }

  mutating func count() -> Int {
    var sum = 0
    if order.isIdentity, filter.isTrivial {
      sum = mainSieve.count(in: main)
      while pending != nil {
        sum += 1
        advanceTail()
      }
    } else {
      forEach { _ in
        sum += 1
        return true
      }
    }
    return sum
  }

  @inline(__always)
  private mutating func visit(rank: UInt32, slot: UInt32, _ body: (UInt32) -> Bool) -> Bool {
    guard filter.isTrivial || filter.matches(slot, columns) else { return true }
    while let next = pending, ascending ? next.rank <= rank : next.rank > rank {
      if !body(next.slot) { return false }
      advanceTail()
    }
    return body(slot)
  }

  private mutating func advanceTail() {
    pending = nil
    while !tail.isEmpty {
      let index = ascending ? tail.lowerBound : tail.upperBound - 1
      tail = ascending ? (index + 1)..<tail.upperBound : tail.lowerBound..<index
      let slot = order.tail[index]
      guard sieve.contains(slot), filter.isTrivial || filter.matches(slot, columns) else { continue }
      pending = (slot, order.rank(order.place(slot, columns), columns))
      return
    }
  }
}
