import Broker

/// The open streams and observers by connection. A connection has at most one, since its calls are
/// answered one after the other.
struct SubscriptionTable {
  private var open: [ObjectIdentifier: any Subscription] = [:]

  subscript(connection: Connection) -> (any Subscription)? {
    get { open[ObjectIdentifier(connection)] }
    set { open[ObjectIdentifier(connection)] = newValue }
  }

  func all(where matches: (Permit) -> Bool) -> [any Subscription] { open.values.filter { matches($0.permit) } }
}
