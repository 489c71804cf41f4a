/// What a server of WebDAV answers where it is asked for the list of a folder, as rclone's log has
/// it.
///
/// A portal that wants somebody to sign in, a proxy, or a service that is being maintained answers
/// with a page of its own, and rclone takes much of that for a folder with nothing in it.
struct ListingAnswers {
  /// Questions for lists that are under way, by what the log calls them.
  private var asked: Set<String> = []
  /// What the next line of the log is.
  private var next: (isQuestion: Bool, name: String)?
  private(set) var areForeign = false

  /// - Parameter line: Of a log with `--dump headers`: first what comes and the number of the
  ///   request, then its headers.
  mutating func take(_ line: String) {
    if let name = Self.rest(of: line, after: "HTTP REQUEST ") {
      next = (true, name)
    } else if let name = Self.rest(of: line, after: "HTTP RESPONSE ") {
      next = (false, name)
    } else if let (isQuestion, name) = next {
      let headers = line.split(separator: "\r\n")
      let words = headers.first?.split(separator: " ") ?? []
      // Something else may come in between.
      guard words.count >= 2, isQuestion ? words.last?.hasPrefix("HTTP/") ?? false : words[0].hasPrefix("HTTP/") else {
        return
      }
      next = nil
      if isQuestion {
        if words[0] == "PROPFIND" { asked.insert(name) } else { asked.remove(name) }
      } else if asked.remove(name) != nil, Self.isForeign(status: words[1], headers.dropFirst()) {
        areForeign = true
      }
    }
  }

  /// A list is 207 with XML. To where it is redirected rclone asks without saying that it wants a
  /// list. What says itself that it failed rclone does not take for a list.
  private static func isForeign(status: Substring, _ headers: some Sequence<Substring>) -> Bool {
    if ["301", "302", "303"].contains(status) { return true }
    guard status.hasPrefix("2") else { return false }
    let type = headers.map { $0.lowercased() }.first { $0.hasPrefix("content-type:") } ?? ""
    return type.contains("html") || (status != "207" && !type.contains("xml"))
  }

  private static func rest(of line: String, after prefix: String) -> String? {
    line.hasPrefix(prefix) ? String(line.dropFirst(prefix.count)) : nil
  }
}
