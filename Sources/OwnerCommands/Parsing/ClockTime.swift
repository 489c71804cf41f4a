/// A time of day, such as `14:05` or `14:05:06.5`.
struct ClockTime {
  let hour: Int32
  var (minute, second): (Int32, Int32) = (0, 0)
  /// The fraction of the second.
  var micros: Int64 = 0

  init(hour: Int32) { self.hour = hour }

  /// Consumes a time; nil if there is none.
  init?(_ scanner: inout DigitScanner) {
    guard let hour = scanner.number(digits: 2) ?? scanner.number(digits: 1), hour < 24, scanner.take(":"),
      let minute = scanner.number(digits: 2), minute < 60
    else { return nil }
    (self.hour, self.minute) = (Int32(hour), Int32(minute))
    guard scanner.take(":") else { return }
    guard let second = scanner.number(digits: 2), second < 60 else { return nil }
    self.second = Int32(second)
    guard scanner.take(".") else { return }
    guard let micros = scanner.fraction() else { return nil }
    self.micros = micros
  }

  /// - Parameter text: only the time.
  init?(_ text: String) {
    var scanner = DigitScanner(text)
    self.init(&scanner)
    guard scanner.isAtEnd else { return nil }
  }
}
