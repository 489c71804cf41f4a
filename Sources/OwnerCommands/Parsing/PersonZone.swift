import Glibc

/// A time zone as a person writes it: `Europe/Zurich`, or as ``ZoneOffset``.
struct PersonZone {
  /// In the time zone database.
  var name: String?
  /// Minutes east of UTC; beside a name, for where that is not known.
  var offsetMinutes: Int64?

  /// - Throws: `usage`.
  static func parse(_ text: String, of what: String) throws(CommandError) -> PersonZone {
    if text != "Z", text.first?.isLetter ?? false { return PersonZone(name: text) }
    do throws(CommandError) { return PersonZone(offsetMinutes: try ZoneOffset.parse(text, of: what)) } catch {
      throw .usage(
        "\(what) takes a zone such as Europe/Zurich, or an offset such as +02:00, -05:30 or Z; \(text) is none.")
    }
  }

  /// The caller's own: what `TZ` says, or else the machine's.
  static var present: PersonZone {
    let named = getenv("TZ").map { String(cString: $0) } ?? machine
    // TZ may be a path. It may have rules of its own instead, which the broker does not know: then the offset holds.
    let parts = named.drop { $0 == ":" }.split(separator: "/", omittingEmptySubsequences: false)
    let name = parts.suffix(from: parts.firstIndex(of: "zoneinfo").map { $0 + 1 } ?? 0).joined(separator: "/")
    var (now, fields) = (time(nil), tm())
    localtime_r(&now, &fields)
    return PersonZone(name: name.isEmpty ? nil : name, offsetMinutes: Int64(fields.tm_gmtoff / 60))
  }

  /// Empty where the machine does not tell.
  private static var machine: String {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/etc/localtime", &target, target.count)
    return count > 0 ? String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
  }
}
