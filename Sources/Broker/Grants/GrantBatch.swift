/// Edits of several grants in one commit: all or none. Restrictions take effect at once, as with
/// any edit. Each edit waits until it is the first of its grant. All edits of a batch are submitted
/// in one turn of the loop, so that two batches never wait for each other.
final class GrantBatch {
  struct Member {
    let edit: GrantEdit
    let grant: GrantState
    let library: LibraryState
  }

  private(set) var members: [Member] = []
  /// Further changes for the same commit.
  let alongside: [StoreChange]
  private var ready = 0

  init(alongside: [StoreChange] = []) { self.alongside = alongside }

  func add(_ edit: GrantEdit, on grant: GrantState, in library: LibraryState) {
    edit.batch = self
    members.append(Member(edit: edit, grant: grant, library: library))
  }

  /// Counts an edit that became the first of its grant.
  /// - Returns: whether all of them are first.
  func takeReady() -> Bool {
    ready += 1
    return ready == members.count
  }
}
