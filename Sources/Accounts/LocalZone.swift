import Glibc

/// The time zone of this process's user: `TZ`, else the machine's.
package enum LocalZone {
  /// The zone's name in the time zone database, nil if it has none, and its present offset in minutes
  /// east of UTC.
  package static var present: (name: String?, offsetMinutes: Int64) {
    let named = getenv("TZ").map { String(cString: $0) } ?? machine
    // TZ may be a path. It may also hold POSIX rules, which the broker does not know: then the
    // offset counts.
    let parts = named.drop { $0 == ":" }.split(separator: "/", omittingEmptySubsequences: false)
    let name = parts.suffix(from: parts.firstIndex(of: "zoneinfo").map { $0 + 1 } ?? 0).joined(separator: "/")
    var (now, fields) = (time(nil), tm())
    localtime_r(&now, &fields)
    return (name.isEmpty ? nil : name, Int64(fields.tm_gmtoff / 60))
  }

  /// The target of /etc/localtime; empty if there is none.
  private static var machine: String {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/etc/localtime", &target, target.count)
    return count > 0 ? String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
  }
}
