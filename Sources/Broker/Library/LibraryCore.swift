/// The parts of a library that its other parts work with.
struct LibraryCore {
  let configuration: LibraryConfiguration
  let assets: LibraryAssets
  let albums: LibraryAlbums
  let changes: LibraryChanges
  let content: ContentQueue
  let store: any Store
  let environment: any Environment
  unowned let broker: any LibraryBroker
}

/// A part of a library.
protocol LibraryPart {
  var core: LibraryCore { get }
}

extension LibraryPart {
  var configuration: LibraryConfiguration { core.configuration }
  var assets: LibraryAssets { core.assets }
  var albums: LibraryAlbums { core.albums }
  var changes: LibraryChanges { core.changes }
  var content: ContentQueue { core.content }
  var store: any Store { core.store }
  var environment: any Environment { core.environment }
  var broker: any LibraryBroker { core.broker }
}
