/// Rows in aligned columns. Cells are escaped here, so that no cell can break the table.
struct Table {
  private let headers: [String]
  private var rows: [[String]] = []

  init(_ headers: String...) { self.headers = headers }

  /// Adds a row. Missing cells are empty; surplus cells are dropped.
  mutating func add(_ cells: String...) { add(cells) }

  mutating func add(_ cells: [String]) {
    rows.append(headers.indices.map { $0 < cells.count ? ShownText.escaped(cells[$0]) : "" })
  }

  /// The header and the rows; empty without rows.
  var lines: [String] {
    guard !rows.isEmpty else { return [] }
    let all = [headers] + rows
    let widths = headers.indices.map { column in all.map { ShownText.width($0[column]) }.max() ?? 0 }
    return all.map { row in
      var line = ""
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
}
