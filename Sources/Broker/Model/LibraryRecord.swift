/// A library as it is configured.
package struct LibraryRecord: Sendable, Equatable {
  package var name: LibraryName
  package var owner: UInt32
  /// The storage plugin's name.
  package var backend: String
  package var options: [String: String]
  /// Users whose programs may know that the library exists (R127). The owner is always one of them.
  package var offeredTo: Set<UInt32>
  /// Minutes east of UTC, for dates without an offset.
  package var zoneOffsetMinutes: Int32
  /// Everything that is per library is derived from this: token root key, identifier permutation, cursor seals. 32 bytes.
  package var rootKey: [UInt8]

  package init(
    name: LibraryName, owner: UInt32, backend: String, options: [String: String], offeredTo: Set<UInt32>,
    zoneOffsetMinutes: Int32, rootKey: [UInt8]
  ) {
    self.name = name
    self.owner = owner
    self.backend = backend
    self.options = options
    self.offeredTo = offeredTo
    self.zoneOffsetMinutes = zoneOffsetMinutes
    self.rootKey = rootKey
  }
}
