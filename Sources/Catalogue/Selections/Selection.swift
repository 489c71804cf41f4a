/// A set of one library's assets: what a limited grant covers, the members of an album, the target of a caveat.
///
/// A value; copies share storage until they differ. It takes at most 8 KiB per 65,536 assets of the library. Made,
/// read and changed through its library's `Catalogue`, which knows where assets lie and which still exist. A
/// selection from another library counts as empty.
package struct Selection: Sendable {
  let layout: Layout
  var positions: PositionSet
}
