/// Album policies that hold again when a decision is taken back.
package struct PoliciesSetBack {
  /// With the libraries in which they are to hold.
  package var chosen: [LibraryName: Set<String>] = [:]
  /// The undo takes access away, and so does not fail where they are installed no longer: the present policy stays.
  package var canBeLeft = false
}
