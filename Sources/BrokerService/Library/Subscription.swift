import Broker

/// What goes on after its call was begun, under the right of that call, and ends with it: a stream or an observer.
protocol Subscription: AnyObject {
  var permit: Permit { get }
  /// Whether the right that holds now still allows it; it then goes on under that one.
  func survives() -> Bool
  /// Ends it because its right has ended.
  func revoke()
}
