import Accounts

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

  /// The caller's time zone.
  static var present: PersonZone {
    let present = LocalZone.present
    return PersonZone(name: present.name, offsetMinutes: present.offsetMinutes)
  }
}
