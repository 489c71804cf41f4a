package import Catalogue
import PhotoModel

extension Broker {
  /// The present view of an app with a grant's whole token, under the conditions of
  /// ``Session/authorize(_:level:library:)``; nil if its calls are refused or show nothing.
  package func view(of grant: GrantState) -> View? {
    let key = grant.record.key
    guard let app = apps[key.app], !app.isRemoved, app.describes(key.level), let library = libraries[key.library],
      library.isOffered(to: app.record.uid), grant.isInForce(environment)
    else { return nil }
    return grant.view()
  }

  /// Whether an app may get any content of a library at this moment, by its grant or a pick.
  package func hands(_ key: GrantKey) -> Bool { grants[key].flatMap(view) != nil || !picks(of: key).isEmpty }

  /// The subset of these assets that an app may get at this moment.
  package func handed(_ assets: [AssetNumber], to app: AppIdentifier, in library: LibraryState) -> Set<AssetNumber> {
    let key = GrantKey(library: library.record.name, app: app, level: .readWrite)
    let catalogue = library.catalogue
    let asked = catalogue.selection(of: assets)
    var handed: Set<AssetNumber> = []
    if let grant = grants[key], view(of: grant) != nil, let view = grant.view(subset: asked) {
      handed.formUnion(catalogue.numbers(in: catalogue.selection(matching: Query(), in: view)))
    }
    for pick in picks(of: key) {
      handed.formUnion(catalogue.numbers(in: catalogue.intersection(pick.selection, asked)))
    }
    return handed
  }

  private func picks(of key: GrantKey) -> [GrantState] {
    pickers.grants.filter { $0.record.key == key && $0.isInForce(environment) }
  }
}
