/// An offset from UTC as a person types it: `+02:00`, `-0530`, `Z`.
enum ZoneOffset {
  /// Parses an offset, in minutes east of UTC.
  ///
  /// - Throws: `usage`.
  static func parse(_ text: String, of what: String) throws(CommandError) -> Int64 {
    var scanner = DigitScanner(text)
    guard let minutes = scanner.zone(), scanner.isAtEnd else {
      throw .usage("\(what) takes an offset such as +02:00 or -05:30, or Z; \(text) is not one.")
    }
    return Int64(minutes)
  }

  static func text(_ minutes: Int64) -> String {
    let size = minutes.magnitude
    func two(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return (minutes < 0 ? "-" : "+") + two(size / 60) + ":" + two(size % 60)
  }
}
