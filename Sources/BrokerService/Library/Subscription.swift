import Broker

/// A stream or an observer: it outlives the first reply of its call, and ends with the access of
/// that call.
protocol Subscription: AnyObject {
  var permit: Permit { get }
  /// Whether the present grant still allows it. If so, it continues under that grant.
  func survives() -> Bool
  func revoke()
}
