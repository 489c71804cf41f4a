package import Catalogue
package import PhotoModel

/// One durable change. A commit takes a list of them: all or none.
package enum StoreChange: Sendable {
  case putLibrary(LibraryRecord)
  /// Deletes everything that belongs to the library, its ledger and keys included (R128).
  case removeLibrary(LibraryName)
  case putApp(AppRecord)
  case removeApp(AppIdentifier)
  /// Stores the claimed identifier of a removed app; the latest of each user are kept.
  case noteFormerApp(FormerApp)
  case putGrant(GrantRecord)
  /// Removes a grant with its selection and its view.
  case removeGrant(GrantKey)
  /// Replaces the named chunks of a grant's selection; an empty value removes the chunk.
  case putSelection(GrantKey, chunks: [(index: UInt32, bytes: [UInt8])])
  case removeSelection(GrantKey)
  case putToken(TokenRecord)
  case revokeToken(Accessor)
  /// Deletes the record of a revoked token.
  case forgetToken(Accessor)
  /// Stores the part of a budget that may be spent; deleted with its token.
  case takeBudget(LibraryName, TakenBudget)
  case putPrompt(PromptRecord)
  case removePrompt(AppIdentifier)
  /// Records a decision. `change` permits its undo and is kept for the latest decisions of a
  /// library; `number` receives the number.
  case decide(DecisionRecord, change: DecisionChange? = nil, number: DecisionNumber? = nil)
  /// Replaces the rule of that name.
  case putRule(RuleRecord)
  case removeRule(LibraryName, name: String)
  case putAsset(LibraryName, AssetRecord)
  /// Writes an asset's row and adds edited fields; the rest of the asset stays.
  case updateRow(LibraryName, AssetRow, edited: EditedFields)
  case setCaption(LibraryName, AssetNumber, String?)
  /// Makes the next scan read an asset's files again.
  case reread(LibraryName, AssetNumber)
  /// Sets whether a trashed asset's files have yet to be moved to the storage's trash. Deleted with
  /// the asset.
  case awaitTrash(LibraryName, AssetNumber, Bool)
  /// Sets the deleting app of a trashed asset; nil: it was restored. Deleted with the asset.
  case noteDeletion(LibraryName, AssetNumber, Deletion?)
  /// Stores the SHA-256 of an asset's original. Ignored if the original has another version by now.
  case noteDigest(LibraryName, AssetNumber, contentVersion: String, digest: [UInt8])
  case removeAsset(LibraryName, AssetNumber)
  /// Makes an asset with the flag `missing` found by its files (``MissingAsset``); nil: it is back.
  /// Deleted with the asset.
  case noteMissing(LibraryName, AssetNumber, since: Timestamp?)
  /// Stores a file that left an asset, or replaces the record with its number.
  case putDetached(LibraryName, DetachedFile)
  /// Deletes the first ``DetachedFile/forgottenAtOnce`` records of found files whose places stopped
  /// counting, by the end of that time.
  case forgetDetached(LibraryName, placesEndedBefore: Timestamp)
  case putAlbum(LibraryName, AlbumRecord)
  case removeAlbum(LibraryName, AlbumIdentifier)
  /// Makes a written copy the stored catalogue. No change of an asset may have been committed since
  /// the copy was taken; the next one invalidates it.
  case keepCatalogue(LibraryName, KeptCatalogue)
  /// Appends entries to the library's change log, in order.
  case appendChanges(LibraryName, [ChangeRecord])
  /// Drops entries of the change log up to this sequence, and stores the visible changes of these
  /// grants.
  case foldChanges(LibraryName, through: UInt64, views: [ViewRecord])
  /// Drops entries of the change log below this sequence, and the stored visible changes.
  case trimChanges(LibraryName, below: UInt64)
  /// Counts an answered picker that gave an app photos.
  case notePick(LibraryName, AppIdentifier, assets: Int, at: Timestamp)
  case putSetting(name: String, value: String)
}
