/// The answer to a request for access that does not wait for a person.
public enum AuthorizationAnswer: Hashable, Sendable {
  /// The request is decided, now or before; the app has this status.
  case decided(AuthorizationStatus)
  /// A person was asked and has not answered yet. The status stays
  /// ``AuthorizationStatus/notDetermined``.
  case pending
}
