/// The seals of each app in one library, made at their first use.
package final class LibrarySeals {
  private let rootKey: [UInt8]
  private var known: [AppIdentifier: AppSeals] = [:]

  init(rootKey: [UInt8]) { self.rootKey = rootKey }

  package subscript(app: AppIdentifier) -> AppSeals {
    get throws(BrokerError) {
      if let known = known[app] { return known }
      let made = try AppSeals(rootKey: rootKey, app: app)
      known[app] = made
      return made
    }
  }
}
