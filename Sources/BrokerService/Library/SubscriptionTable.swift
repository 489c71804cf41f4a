import Broker

/// The streams and observers that are open, by connection: each has one at a time, since its calls
/// are answered one after the other.
struct SubscriptionTable {
  private var open: [ObjectIdentifier: any Subscription] = [:]

  subscript(connection: Connection) -> (any Subscription)? {
    get { open[ObjectIdentifier(connection)] }
    set { open[ObjectIdentifier(connection)] = newValue }
  }

  func all(where matches: (Permit) -> Bool) -> [any Subscription] { open.values.filter { matches($0.permit) } }
}
