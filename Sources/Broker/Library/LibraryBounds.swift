import Catalogue

/// How many libraries and photos of all users together the machine has room for. A user has no more of them than are left for all others: so
/// whoever comes has room, and neither one user nor many of them take all. What is there already stays, however many those are.
package struct LibraryBounds: Sendable {
  package var libraries: Int
  package var photos: Int

  package init(libraries: Int = .max, photos: Int = .max) {
    self.libraries = libraries
    self.photos = photos
  }

  /// How many more a user may have.
  /// - Parameters:
  ///   - mine: What they have.
  ///   - all: What all users have.
  package static func room(mine: Int, all: Int, limit: Int) -> Int { max(0, (limit - all - mine) / 2) }
}

extension Broker {
  /// How many more photos a library may take up, beside those that other looks are to take up.
  package func roomForPhotos(in library: LibraryState) -> Int {
    var (mine, all) = (0, 0)
    for other in libraries.values {
      let count = other.catalogue.count + other.comingPhotos
      all += count
      if other.record.owner == library.record.owner { mine += count }
    }
    return LibraryBounds.room(mine: mine, all: all, limit: bounds.photos)
  }

  /// How many more libraries a user may add.
  func roomForLibraries(of owner: UInt32) -> Int {
    let owners = libraries.values.map(\.record.owner) + Array(reservedLibraries.values)
    return LibraryBounds.room(mine: owners.count { $0 == owner }, all: owners.count, limit: bounds.libraries)
  }
}
