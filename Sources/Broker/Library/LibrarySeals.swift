/// The seals of one library: those of each app are made at their first use, those of hints for a call.
package final class LibrarySeals {
  private let rootKey: [UInt8]
  private var known: [AppIdentifier: AppSeals] = [:]

  init(rootKey: [UInt8]) { self.rootKey = rootKey }

  package subscript(app: AppIdentifier) -> AppSeals {
    get throws(BrokerError) {
      if let known = known[app] { return known }
      let made = try AppSeals(rootKey: rootKey, of: app.description)
      known[app] = made
      return made
    }
  }

  /// The seals of the local hints in cloud identifiers (R97). They depend on the application, whose
  /// cloud identifiers outlive its registration.
  package func hints(of application: String) throws(BrokerError) -> AppSeals {
    try AppSeals(rootKey: rootKey, of: "hints of \(application)")
  }
}
