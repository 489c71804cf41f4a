import BrokerInterface

/// Checks that a request comes from this page in a browser, and from no other page.
///
/// Any user can connect to loopback, and any web page can make a browser do so. So the host must be
/// a literal address, which stops DNS rebinding. Requests for data must have the page's origin and
/// a session's secret.
package enum Gatekeeper {
  /// Whether the `Host` header is a literal loopback address. Any address and port will do, because
  /// `ssh -L` may forward others.
  package static func isOurs(host: String?) -> Bool {
    guard let host else { return false }
    let parts = host.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, LoopbackAddress(parts[0]) != nil else { return false }
    let port = parts[1]
    return (1...5).contains(port.utf8.count) && port.utf8.allSatisfy { (48...57).contains($0) }
  }

  /// Whether page files may be fetched. They contain nothing private. The document may also be
  /// opened from elsewhere, as `photobroker open` does from a file, but only as a top-level page.
  package static func admitsFile(_ request: Request) -> Bool {
    guard isOurs(host: request.host), request.method == "GET" else { return false }
    switch request.fetchSite {
    case nil, "none", "same-origin": return true
    default: return request.path == "/" && request.fetchMode == "navigate" && request.fetchDestination == "document"
    }
  }

  /// Whether a request may call the broker. The session is checked separately.
  package static func admitsCall(_ request: Request) -> Bool {
    guard isOurs(host: request.host), let host = request.host, request.method == "POST" else { return false }
    guard request.fetchSite == nil || request.fetchSite == "same-origin" else { return false }
    // Browsers send `Origin` with every POST, so a request without it is no browser's.
    return request.origin == "http://" + host && request.contentType == "application/json"
  }
}
