import Catalogue

/// How many libraries and photos of all users together the machine has room for. A user has no more
/// of them than are left for all others: so whoever comes has room, and neither one user nor many
/// of them take all. What is there already stays, however many those are.
package struct LibraryBounds: Sendable {
  package var libraries: Int
  package var photos: Int
  /// The user that the broker runs as. What they own may be all that there is room for: where they
  /// run it for themselves nobody comes later.
  package var own: UInt32?

  package init(libraries: Int = .max, photos: Int = .max, own: UInt32? = nil) {
    self.libraries = libraries
    self.photos = photos
    self.own = own
  }

  /// How many more a user may have.
  /// - Parameters:
  ///   - mine: What they have.
  ///   - all: What all users have.
  package static func room(mine: Int, all: Int, limit: Int) -> Int { max(0, (limit - all - mine) / 2) }

  fileprivate func room(for owner: UInt32, mine: Int, all: Int, limit: Int) -> Int {
    owner == own ? max(0, limit - all) : Self.room(mine: mine, all: all, limit: limit)
  }
}

extension Broker {
  /// How many more photos a library may take up, beside those that other looks are to take up. What
  /// is away has its room still.
  package func roomForPhotos(in library: LibraryState) -> Int {
    var (mine, all) = (0, 0)
    for other in libraries.values {
      let count = other.heldPhotos + other.comingPhotos
      all += count
      if other.record.owner == library.record.owner { mine += count }
    }
    let held = library.heldPhotos - library.catalogue.count
    return held + bounds.room(for: library.record.owner, mine: mine, all: all, limit: bounds.photos)
  }

  /// How many more libraries a user may add.
  func roomForLibraries(of owner: UInt32) -> Int {
    let owners = libraries.values.map(\.record.owner) + Array(reservedLibraries.values)
    let mine = owners.count { $0 == owner }
    let room = bounds.room(for: owner, mine: mine, all: owners.count, limit: bounds.libraries)
    // Halves of few are none in the end; nobody is left without any by what some others have.
    return mine == 0 && owners.count / 2 < bounds.libraries ? max(1, room) : room
  }
}

extension LibraryState {
  /// Its photos, and as many as were there with them before some went away and may be back. Not all
  /// that are away: new ones in their places take their room, or who moves photos out and others
  /// in, again and again, would be bounded by nothing.
  var heldPhotos: Int { max(catalogue.count, min(photosBeforeAway, catalogue.count + away.count)) }
}
