package import PhotoModel

/// An app's request to a person that belongs to one call, and is not stored.
package protocol WaitingRequest {
  var identifier: AppIdentifier { get }
  var library: LibraryState { get }
  var asked: Timestamp { get }
  /// Whether its app may still ask.
  var mayStayOpen: Bool { get }
}

extension AdminSession {
  /// The requests that the caller can answer: first those for the caller's own libraries, then those
  /// for co-owned ones, each oldest first. Administrators get none, because they see no photos.
  func waiting<Request: WaitingRequest>(among requests: some Sequence<Request>) -> [Request] {
    func place(_ request: Request) -> (Int, Timestamp, AppIdentifier) {
      (request.library.record.owner == uid ? 0 : 1, request.asked, request.identifier)
    }
    return requests.filter { owns($0.library) && $0.mayStayOpen }.sorted { place($0) < place($1) }
  }
}
