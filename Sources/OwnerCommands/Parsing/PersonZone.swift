import Glibc

/// A time zone as a person types it: `Europe/Zurich`, or a ``ZoneOffset``.
struct PersonZone {
  /// The name in the time zone database.
  var name: String?
  /// Minutes east of UTC; beside a name, the fallback if the broker does not know the name.
  var offsetMinutes: Int64?

  /// - Throws: `usage`.
  static func parse(_ text: String, of what: String) throws(CommandError) -> PersonZone {
    if text != "Z", text.first?.isLetter ?? false { return PersonZone(name: text) }
    do throws(CommandError) { return PersonZone(offsetMinutes: try ZoneOffset.parse(text, of: what)) } catch {
      throw .usage(
        "\(what) takes a zone such as Europe/Zurich, or an offset such as +02:00, -05:30 or Z; \(text) is not one.")
    }
  }

  /// The caller's time zone: `TZ`, else the machine's.
  static var present: PersonZone {
    let named = getenv("TZ").map { String(cString: $0) } ?? machine
    // TZ may be a path. It may also hold POSIX rules, which the broker does not know: then the
    // offset counts.
    let parts = named.drop { $0 == ":" }.split(separator: "/", omittingEmptySubsequences: false)
    let name = parts.suffix(from: parts.firstIndex(of: "zoneinfo").map { $0 + 1 } ?? 0).joined(separator: "/")
    var (now, fields) = (time(nil), tm())
    localtime_r(&now, &fields)
    return PersonZone(name: name.isEmpty ? nil : name, offsetMinutes: Int64(fields.tm_gmtoff / 60))
  }

  /// The target of /etc/localtime; empty if there is none.
  private static var machine: String {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/etc/localtime", &target, target.count)
    return count > 0 ? String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
  }
}
