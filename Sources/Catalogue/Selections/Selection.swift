/// A set of one library's assets: the assets of a limited grant, the members of an album, or those
/// that a caveat allows.
///
/// A value; copies share storage until they differ. It takes at most 8 KiB for 65,536 assets of the
/// library. The library's `Catalogue` makes, reads and changes it. A selection from another library
/// counts as empty.
package struct Selection: Sendable {
  let layout: Layout
  var positions: PositionSet
}
