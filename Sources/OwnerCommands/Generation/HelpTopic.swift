/// A help page about several commands.
struct HelpTopic: Sendable {
  let name: String
  let summary: String
  let lines: [String]

  static let all = [exitCodes, selectors, dates, sockets]

  static let exitCodes = HelpTopic(
    name: "exit-codes", summary: "How the program ends",
    lines: ExitCode.allCases.map { code in
      let number = "\(code.rawValue)"
      return number + String(repeating: " ", count: 4 - number.count) + code.meaning
    })

  static let selectors = HelpTopic(
    name: "selectors", summary: "How assets are chosen",
    lines: HelpText.wrapped(SelectorOptions.help, indent: 0) + [""]
      + SelectorOptions.table.map { $0.usage + String(repeating: " ", count: max(1, 18 - $0.usage.count)) + $0.summary }
  )

  static let dates = HelpTopic(
    name: "dates", summary: "How dates are written",
    lines: [
      "2024, 2024-07, 2024-07-03      the beginning of that year, month or day",
      "2024-07-03T14:05[:06[.5]]      that moment; a space may stand for the T",
      "2024-07-03T14:05+02:00, ...Z   with an offset from UTC; without one it is this machine's time zone",
      "3.7.2024, 2024/07/03           the day, then the month; or the year first",
      "3 july 2024, july 3rd, july    a day or a month; without a year the last one, or the next where a coming",
      "                               date is meant; a day or a month that has begun is then the present one",
      "today, yesterday, tomorrow     the beginning of that day; tonight is the end of today, and now is now",
      "friday, last monday            the last one before today; friday is the next where a coming date is meant",
      "last week, this month          its beginning: last, this or next with week, month or year; weeks begin on",
      "                               monday",
      "yesterday 14:00, noon          a time of a day; alone the last one, or the next where a coming date is meant",
      "+30d, -12h, two weeks ago      that long from now, or ago: minutes m, hours h, days d, weeks w, months mo of",
      "                               30 days, years y of 365 days",
      "3d, a week                     where a past date is meant, as after --since or --from: that long ago; where",
      "                               a coming one is meant, as after --until or in grant expire: that long from now",
    ])

  static let sockets = HelpTopic(
    name: "sockets", summary: "How the broker is found",
    lines: HelpText.wrapped(
      """
      Owners and administrators: --socket PATH, else $PHOTOBROKER_ADMIN_SOCKET, else \
      $XDG_RUNTIME_DIR/photobroker/admin.sock \
      if it exists, else /run/photobroker/admin.sock.
      Commands that act as an app, such as describe and run: --app-socket PATH, else $PHOTOBROKER_SOCKET, else \
      photobroker.sock beside the owner's.
      """, indent: 0))
}
