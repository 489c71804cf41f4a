/// What a request for access that waits for nobody is answered.
public enum AuthorizationAnswer: Hashable, Sendable {
  /// Somebody has decided, now or before: what the app may do.
  case decided(AuthorizationStatus)
  /// A person has been asked and has not answered yet; the status is ``AuthorizationStatus/notDetermined`` so far.
  case pending
}
