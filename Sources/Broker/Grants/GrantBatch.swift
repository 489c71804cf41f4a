/// Edits of several grants that reach the disk in one commit: all or none. What they take away is
/// gone at once, as with any edit. Each waits until it is the first of its grant; edits of one
/// batch are submitted in one turn, so that two batches never wait for each other.
final class GrantBatch {
  struct Member {
    let edit: GrantEdit
    let grant: GrantState
    let library: LibraryState
  }

  private(set) var members: [Member] = []
  /// What goes into the same commit beside the edits.
  let alongside: [StoreChange]
  private var ready = 0

  init(alongside: [StoreChange] = []) { self.alongside = alongside }

  func add(_ edit: GrantEdit, on grant: GrantState, in library: LibraryState) {
    edit.batch = self
    members.append(Member(edit: edit, grant: grant, library: library))
  }

  /// One more of the edits is the first of its grant.
  /// - Returns: whether all of them are.
  func takeReady() -> Bool {
    ready += 1
    return ready == members.count
  }
}
