/// The reason why the broker refused or failed a call. Messages give advice, and contain no token,
/// path or photo name.
package struct BrokerError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: Sendable, Equatable {
    /// One of PhotoKit's errors.
    case photos(PhotosErrorCode)
    /// The manifest gives no reason for this level; the connection closes (R31).
    case usageDescriptionMissing(key: String)
    /// No decision yet: request authorization for this grant, then retry (R19).
    case promptNeeded(GrantKey)
    case promptPending
    /// A person has to be asked, and no program shows requests to these accounts (R153).
    case nobodyToAsk(owners: [String])
    case tokenRequired
    case tokenRefused
    /// The selection page is for limited access only (R65).
    case notLimited(status: String)
    /// Missing, or outside the caller's reach; the caller cannot tell which.
    case notFound(what: String)
    case notPermitted
    /// A page's cursor is damaged, or another list's, caller's or query's.
    case invalidCursor
    case refused
    case failed
  }

  package let code: Code
  package let message: String
  /// A code for programs with messages of their own; nil if ``code`` is enough.
  package let reason: Reason?

  package init(_ code: Code, _ message: String, _ reason: Reason? = nil) {
    self.code = code
    self.message = message
    self.reason = reason
  }

  package init(
    _ code: Code, _ reason: Reason.Code, _ message: String, _ values: [String: String] = [:], parts: [Reason] = []
  ) {
    self.init(code, message, Reason(reason, message, values, parts: parts))
  }

  package var description: String { message }

  package static func == (a: Self, b: Self) -> Bool { a.code == b.code }

  package static func photos(_ code: PhotosErrorCode, _ message: String) -> Self { Self(.photos(code), message) }

  package static func refused(_ message: String, _ reason: Reason? = nil) -> Self { Self(.refused, message, reason) }
  package static func notPermitted(_ message: String) -> Self { Self(.notPermitted, message) }
  package static func failed(_ message: String) -> Self { Self(.failed, message) }

  package static func refused(_ reason: Reason.Code, _ message: String, _ values: [String: String] = [:]) -> Self {
    Self(.refused, reason, message, values)
  }

  package static func notPermitted(_ reason: Reason.Code, _ message: String) -> Self {
    Self(.notPermitted, reason, message)
  }

  package static func failed(_ reason: Reason.Code, _ message: String) -> Self { Self(.failed, reason, message) }

  /// The error for an asset or album that is invisible, deleted or never existed, without
  /// distinction (R40, R105).
  package static func identifierNotFound() -> Self {
    photos(
      .identifierNotFound, "No such identifier in this app's view of the library; fetch again to see what is there.")
  }

  package static func notFound(_ what: String, _ advice: String) -> Self { Self(.notFound(what: what), advice) }
}
