package import Catalogue

/// Effects of decisions that the service carries out. Called on the broker's thread, and only
/// during a call that caused the effect.
package protocol BrokerDelegate: AnyObject {
  /// Drops the grant's queued replies and stops the streams that ``Broker/mayRelease(_:)`` refuses,
  /// after a restriction that is already in force. Returns the counts. Must not block.
  func grantNarrowed(_ grant: GrantState) -> NarrowingEffect
  /// Announces that visible assets lost some of their content. Comes before ``grantNarrowed(_:)``.
  func contentNarrowed(in library: LibraryName)
  /// Asks the grant's album policy again, after a new status, policy or selection, and sets
  /// `grant.albums`. Until then a restricted grant shows no albums.
  func albumAccessNeeded(_ grant: GrantState)
  /// Announces a change of these users' pending prompts.
  func promptsChanged(owners: Set<UInt32>)
  /// Whether a program of one of these users is connected that shows requests.
  func canShowPrompts(to owners: Set<UInt32>) -> Bool
  /// The name of a user's account in messages to apps; the number if there is none.
  func accountName(of user: UInt32) -> String
  /// Resolves a rule's selectors, synchronously or later; nil: failed.
  func select(_ selectors: [RuleSelector], in library: LibraryState, completion: @escaping (Selection?) -> Void)
  /// Closes a connection whose app was forgotten or whose token was revoked.
  func closeSession(_ session: Session)
  /// Scans a library again, because files that a scan held back may become assets.
  func filesReleased(in library: LibraryName)
  /// Brings a deleted asset's files back from the storage's trash, and restores the asset together
  /// with these changes. Fails if nothing came back.
  func restore(
    _ asset: AssetNumber, in library: LibraryState, keeping: [StoreChange],
    completion: @escaping Completion<Int>)
  /// Checks that a library's storage is there and can delete files.
  func checkDeletions(in library: LibraryState, completion: @escaping Completion<Void>)
  /// Moves the files of deleted assets into the storage's trash.
  func moveToTrash(in library: LibraryState)
  /// Processes a library's new changes for every grant soon.
  func logGrew(in library: LibraryName)
  /// Calls `piece` until it returns false, and may serve others in between.
  func inPieces(_ piece: @escaping () -> Bool)
}
