import BrokerInterface

/// Who may be answered at all: a browser that shows this page, and no other page that it shows.
///
/// Loopback knows no users, and any web page can make a browser ask it. So the host must be a
/// literal address (a name that was rebound is none), requests for data must come from the page
/// itself, and they need the session's secret.
package enum Gatekeeper {
  /// The host that the page is asked for: a literal loopback address, any and at any port, because
  /// `ssh -L` may forward others.
  package static func isOurs(host: String?) -> Bool {
    guard let host else { return false }
    let parts = host.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, LoopbackAddress(parts[0]) != nil else { return false }
    let port = parts[1]
    return (1...5).contains(port.utf8.count) && port.utf8.allSatisfy { (48...57).contains($0) }
  }

  /// Whether the page's own files may be fetched. They hold nothing of anybody's; the document
  /// itself may also be opened from elsewhere, as `photobroker open` does from a file, but only as
  /// a page of its own.
  package static func admitsFile(_ request: Request) -> Bool {
    guard isOurs(host: request.host), request.method == "GET" else { return false }
    switch request.fetchSite {
    case nil, "none", "same-origin": return true
    default: return request.path == "/" && request.fetchMode == "navigate" && request.fetchDestination == "document"
    }
  }

  /// Whether something may be asked of the broker. The session is checked apart.
  package static func admitsCall(_ request: Request) -> Bool {
    guard isOurs(host: request.host), let host = request.host, request.method == "POST" else { return false }
    guard request.fetchSite == nil || request.fetchSite == "same-origin" else { return false }
    // Browsers send it with every POST; what does not is none.
    return request.origin == "http://" + host && request.contentType == "application/json"
  }
}
