/// A check of WebDAV servers' answers to list requests, from rclone's log.
///
/// A login portal, a proxy or a service under maintenance answers with a page of its own, and
/// rclone takes many of these pages for an empty folder.
struct ListingAnswers {
  /// Names of pending list requests, as the log has them.
  private var asked: Set<String> = []
  /// The request or response that the next log line belongs to.
  private var next: (isQuestion: Bool, name: String)?
  private(set) var areForeign = false

  /// - Parameter line: a line of a log with `--dump headers`: first kind and number of the request,
  ///   then its headers.
  mutating func take(_ line: String) {
    if let name = Self.rest(of: line, after: "HTTP REQUEST ") {
      next = (true, name)
    } else if let name = Self.rest(of: line, after: "HTTP RESPONSE ") {
      next = (false, name)
    } else if let (isQuestion, name) = next {
      let headers = line.split(separator: "\r\n")
      let words = headers.first?.split(separator: " ") ?? []
      // Other lines may come in between.
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

  /// A list has status 207 and XML. After a redirect rclone does not repeat the list request. Error
  /// statuses are no problem: rclone handles them.
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
