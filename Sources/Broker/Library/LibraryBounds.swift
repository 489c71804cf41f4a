import Catalogue

/// Limits of libraries and photos for all users together, from the machine's resources. The
/// holdings of one user never exceed the room that is left for all others, so that there is room
/// for new users. Existing holdings stay.
package struct LibraryBounds: Sendable {
  package var libraries: Int
  package var photos: Int
  /// The broker's own user, who may use all the room: in a personal installation there are no other
  /// users.
  package var own: UInt32?

  package init(libraries: Int = .max, photos: Int = .max, own: UInt32? = nil) {
    self.libraries = libraries
    self.photos = photos
    self.own = own
  }

  /// The number that a user may add.
  /// - Parameters:
  ///   - mine: the user's present number.
  ///   - all: the number of all users.
  package static func room(mine: Int, all: Int, limit: Int) -> Int { max(0, (limit - all - mine) / 2) }

  fileprivate func room(for owner: UInt32, mine: Int, all: Int, limit: Int) -> Int {
    owner == own ? max(0, limit - all) : Self.room(mine: mine, all: all, limit: limit)
  }
}

extension Broker {
  /// The number of photos that a library may add, beside those that running scans still add. The
  /// room of missing photos is reserved for them.
  package func roomForPhotos(in library: LibraryState) -> Int {
    var (mine, all) = (0, 0)
    for other in libraries.values {
      let count = other.missing.heldPhotos + other.scan.comingPhotos
      all += count
      if other.record.owner == library.record.owner { mine += count }
    }
    let held = library.missing.heldPhotos - library.catalogue.count
    return held + bounds.room(for: library.record.owner, mine: mine, all: all, limit: bounds.photos)
  }

  func roomForLibraries(of owner: UInt32) -> Int {
    let owners = libraries.values.map(\.record.owner) + Array(reservedLibraries.values)
    let mine = owners.count { $0 == owner }
    let room = bounds.room(for: owner, mine: mine, all: owners.count, limit: bounds.libraries)
    // Halving a small number gives zero; a user's first library is allowed as long as half of the
    // limit is free.
    return mine == 0 && owners.count / 2 < bounds.libraries ? max(1, room) : room
  }
}
