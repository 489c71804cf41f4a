/// Album policies that an undo restores.
package struct PoliciesSetBack {
  /// The policies' names, by the library in which they hold again.
  package var chosen: [LibraryName: Set<String>] = [:]
  /// Whether the undo restricts access, and so keeps the present policy if an earlier one is not
  /// installed any more.
  package var canBeLeft = false
}
