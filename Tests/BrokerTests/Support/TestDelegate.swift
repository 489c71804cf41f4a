import Broker
import Catalogue

/// Records the calls of the broker.
final class TestDelegate: BrokerDelegate {
  private(set) var narrowed: [GrantKey] = []
  private(set) var promptsChanged: [Set<UInt32>] = []
  /// The result of rules' selectors; nil: failed.
  var ruleSelection: Selection?
  /// Receives the completion of `select`.
  var onSelect: ((@escaping () -> Void) -> Void)?
  private(set) var closed: [Session] = []
  private(set) var albumsNeeded: [GrantKey] = []
  /// The effect that restrictions report.
  var effect = NarrowingEffect()
  /// Called during a restriction.
  var onNarrowing: (GrantState) -> Void = { _ in }
  var onFilesReleased: () -> Void = {}
  var onPiece: (@escaping () -> Bool) -> Void = { piece in while piece() {} }

  func grantNarrowed(_ grant: GrantState) -> NarrowingEffect {
    narrowed.append(grant.record.key)
    onNarrowing(grant)
    return effect
  }
  func contentNarrowed(in library: LibraryName) {}
  func albumAccessNeeded(_ grant: GrantState) { albumsNeeded.append(grant.record.key) }
  func promptsChanged(owners: Set<UInt32>) { promptsChanged.append(owners) }
  /// Whether owners have a program that shows prompts.
  var showsPrompts = true
  func canShowPrompts(to owners: Set<UInt32>) -> Bool { showsPrompts }
  func accountName(of user: UInt32) -> String { "user \(user)" }
  func select(_ selectors: [RuleSelector], in library: LibraryState, completion: @escaping (Selection?) -> Void) {
    let chosen = ruleSelection
    if let onSelect { onSelect { completion(chosen) } } else { completion(chosen) }
  }
  func closeSession(_ session: Session) { closed.append(session) }
  func filesReleased(in library: LibraryName) { onFilesReleased() }
  func restore(
    _ asset: AssetNumber, in library: LibraryState, keeping: [StoreChange],
    completion: @escaping (Result<Int, BrokerError>) -> Void
  ) { library.trash.restore([asset], keeping: keeping, completion: completion) }
  func checkDeletions(in library: LibraryState, completion: @escaping (Result<Void, BrokerError>) -> Void) {
    completion(.success(()))
  }
  func moveToTrash(in library: LibraryState) { library.trash.awaiting.forEach(library.trash.didMove) }
  func logGrew(in library: LibraryName) {}
  func inPieces(_ piece: @escaping () -> Bool) { onPiece(piece) }
}
