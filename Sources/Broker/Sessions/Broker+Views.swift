package import Catalogue

extension Broker {
  /// What an app that holds all of a grant sees at this moment, under the conditions of ``Session/admit(_:level:library:)``; nil
  /// where its calls are refused, or show nothing.
  package func view(of grant: GrantState) -> View? {
    let key = grant.record.key
    guard let app = apps[key.app], !app.isRemoved, app.describes(key.level), let library = libraries[key.library],
      library.record.isOffered(to: app.record.uid), grant.isInForce(environment)
    else { return nil }
    return grant.view()
  }
}
