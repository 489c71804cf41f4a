import Broker
import Delivery
import Limits

/// The open streams and observers by connection, and their number by app. A connection has at most
/// one, since its calls are answered one after the other.
struct SubscriptionTable {
  private var open: [ObjectIdentifier: any Subscription] = [:]
  private var counts = Quota<AppIdentifier>(limitPerUser: ServiceLimits.subscriptionsPerApp)

  subscript(connection: Connection) -> (any Subscription)? {
    get { open[ObjectIdentifier(connection)] }
    set { open[ObjectIdentifier(connection)] = newValue }
  }

  func all(where matches: (Permit) -> Bool) -> [any Subscription] { open.values.filter { matches($0.permit) } }

  /// Counts an app's new observer or stream.
  /// - Throws: `limitExceeded` if the app has `subscriptionsPerApp` of them.
  mutating func begin(_ app: AppIdentifier) throws(CallFailure) {
    guard counts.take(for: app) else {
      throw .photos(
        .limitExceeded,
        "An app has at most \(ServiceLimits.subscriptionsPerApp) observers and streams at a time; end one.")
    }
  }

  mutating func end(_ app: AppIdentifier) { counts.giveBack(of: app) }
}
