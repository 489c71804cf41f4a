/// The administrators beside root (R130).
package struct Administrators {
  /// Users whom root named.
  package internal(set) var named: Set<UInt32>
  /// Users whom the machine's configuration names.
  package var configured: Set<UInt32> = []

  package var all: Set<UInt32> { named.union(configured) }

  func contains(_ user: UInt32) -> Bool { user == 0 || all.contains(user) }

  /// Whether a user may extend access in a library: its owners, and administrators whom the owner
  /// allows to decide (R130).
  func decides(_ user: UInt32, in library: LibraryState) -> Bool {
    library.isOwner(user) || contains(user) && library.record.administratorsDecide
  }
}
