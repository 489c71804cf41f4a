/// Rows in aligned columns. Cells are escaped here, so that no cell can break the table.
struct Table {
  private var headers: [String]
  private var rows: [[String]] = []
  /// The columns that a narrow terminal leaves out, the least useful first.
  private var spare: [String] = []
  /// The same for a terminal on which the other columns are too wide even if they are cut.
  private var lastSpare: [String] = []
  /// A spare column is left out before others are cut to less than this.
  private static let readableWidth = 12
  private static let leastWidth = 8

  init(_ headers: String..., spare: [String] = [], lastSpare: [String] = []) {
    (self.headers, self.spare, self.lastSpare) = (headers, spare, lastSpare)
  }

  /// Adds a row. Missing cells are empty; surplus cells are dropped.
  mutating func add(_ cells: String...) { add(cells) }

  mutating func add(_ cells: [String]) {
    rows.append(headers.indices.map { $0 < cells.count ? ShownText.escaped(cells[$0]) : "" })
  }

  /// The header and the rows; empty without rows.
  var lines: [String] {
    guard !rows.isEmpty else { return [] }
    let all = [headers] + rows
    let widths = widths
    return all.map { row in
      var line = ""
      line.reserveCapacity(widths.reduce(2 * widths.count, +))
      for (column, cell) in row.enumerated() {
        line += cell
        if column < row.count - 1 {
          line += String(repeating: " ", count: max(0, widths[column] - ShownText.width(cell)) + 2)
        }
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  private var widths: [Int] {
    rows.reduce(into: headers.map(ShownText.width)) { widths, row in
      for (column, cell) in row.enumerated() { widths[column] = max(widths[column], ShownText.width(cell)) }
    }
  }

  /// The table for a terminal. Identifiers are shortened, and in a wide table times too; then spare
  /// columns are left out and the widest ones cut, until it fits. Times lose their minutes last, and the
  /// first column, by which a row is named, is cut after them.
  func fitted(to columns: Int) -> Table {
    var table = self
    for column in headers.indices { table.shortenIdentifiers(column) }
    func excess(_ widths: [Int]) -> Int { widths.reduce(2 * (widths.count - 1), +) - columns }
    guard excess(table.widths) > 0 else { return table }
    var whole = Set(headers.prefix(1))
    for (column, header) in headers.enumerated() {
      for row in rows.indices {
        guard let short = Self.shortMoment(rows[row][column]) else { continue }
        table.rows[row][column] = short
        whole.insert(header)
      }
    }
    func isTooWide(cutTo width: Int) -> Bool {
      excess(zip(table.headers, table.widths).map { whole.contains($0) ? $1 : min($1, width) }) > 0
    }
    for header in spare where isTooWide(cutTo: Self.readableWidth) { table.leaveOut(header) }
    for header in lastSpare where isTooWide(cutTo: Self.leastWidth) { table.leaveOut(header) }
    if isTooWide(cutTo: Self.leastWidth) { table.shortenToDays() }
    var widths = table.widths
    let others = widths.indices.filter { !whole.contains(table.headers[$0]) }
    while excess(widths) > 0, let widest = others.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.leastWidth
    {
      widths[widest] -= 1
    }
    if excess(widths) > 0 { widths[0] = min(widths[0], max(Self.leastWidth, widths[0] - excess(widths))) }
    for column in widths.indices {
      table.headers[column] = Self.cut(table.headers[column], to: widths[column])
      for row in table.rows.indices { table.rows[row][column] = Self.cut(table.rows[row][column], to: widths[column]) }
    }
    return table
  }

  /// A moment without seconds and offset, in the caller's time zone as before; nil for other cells.
  private static func shortMoment(_ cell: String) -> String? {
    let printed = /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[+-][0-9]{2}:[0-9]{2}/
    guard cell.wholeMatch(of: printed) != nil else { return nil }
    return "\(cell.prefix(10)) \(cell.dropFirst(11).prefix(5))"
  }

  /// Shortens the times that ``shortMoment(_:)`` gave to their days.
  private mutating func shortenToDays() {
    for row in rows.indices {
      rows[row] = rows[row].map { cell in
        cell.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}/) == nil ? cell : String(cell.prefix(10))
      }
    }
  }

  private mutating func leaveOut(_ header: String) {
    guard let column = headers.firstIndex(of: header) else { return }
    headers.remove(at: column)
    for row in rows.indices { rows[row].remove(at: column) }
  }

  /// Shortens identifiers to prefixes that are unique in the column, of at least 8 digits.
  private mutating func shortenIdentifiers(_ column: Int) {
    let known = Set(rows.map { $0[column] }.filter(Invocation.isWhole))
    guard let length = (8...32).first(where: { length in Set(known.map { $0.prefix(length) }).count == known.count })
    else { return }
    for row in rows.indices where known.contains(rows[row][column]) {
      rows[row][column] = String(rows[row][column].prefix(length))
    }
  }

  private static func cut(_ cell: String, to width: Int) -> String {
    guard ShownText.width(cell) > width else { return cell }
    var shown = ""
    for character in cell {
      guard ShownText.width(shown) + ShownText.width(String(character)) < width else { break }
      shown.append(character)
    }
    return shown + "…"
  }
}
