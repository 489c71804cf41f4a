import Glibc

/// The daemon's log: one line an event on standard error, with `key=value` fields and the journal's
/// priority. Photo names, paths and tokens are never fields.
package struct Log: Sendable {
  package enum Priority: Int, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
  }

  /// Whether lines begin with the journal's `<N>` instead of the time.
  private let isJournal: Bool

  package init() { isJournal = getenv("JOURNAL_STREAM") != nil }

  package func error(_ message: String, _ fields: KeyValuePairs<String, String> = [:]) {
    write(.error, message, fields)
  }
  package func warning(_ message: String, _ fields: KeyValuePairs<String, String> = [:]) {
    write(.warning, message, fields)
  }
  package func notice(_ message: String, _ fields: KeyValuePairs<String, String> = [:]) {
    write(.notice, message, fields)
  }
  package func info(_ message: String, _ fields: KeyValuePairs<String, String> = [:]) { write(.info, message, fields) }

  private func write(_ priority: Priority, _ message: String, _ fields: KeyValuePairs<String, String>) {
    var line = isJournal ? "<\(priority.rawValue)>" : "\(Self.timeOfDay()) \(priority) "
    line += message
    line += Self.text(of: fields) + "\n"
    line.withUTF8 { bytes in _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
  }

  static func text(of fields: KeyValuePairs<String, String>) -> String {
    fields.reduce(into: "") { $0 += " \($1.key)=\(quoted($1.value))" }
  }

  /// Quotes a value so that it stays on one line and all its characters can be seen.
  static func quoted(_ value: String) -> String {
    let plain = value.unicodeScalars.allSatisfy {
      $0.value > 0x20 && $0.value < 0x7f && $0 != "\"" && $0 != "=" && $0 != "\\"
    }
    if plain && !value.isEmpty && value.utf8.count <= valueLimit { return value }
    var text = "\""
    for scalar in value.unicodeScalars.prefix(valueLimit) {
      switch scalar.properties.generalCategory {
      case _ where scalar == "\"" || scalar == "\\": text += "\\\(scalar)"
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned:
        text += "\\u{\(String(scalar.value, radix: 16))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }

  /// Longest part of a value that is written, in Unicode scalars.
  private static let valueLimit = 512

  private static func timeOfDay() -> String {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    var parts = tm()
    gmtime_r(&now.tv_sec, &parts)
    func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let day = "\(1900 + parts.tm_year)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    return "\(day)T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
  }
}
