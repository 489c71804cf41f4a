package import Catalogue
package import PhotoModel

/// One durable change. A commit takes a list of them: all or none.
package enum StoreChange: Sendable {
  case putLibrary(LibraryRecord)
  /// Erases everything that belongs to the library, its ledger and keys included (R128).
  case removeLibrary(LibraryName)
  case putApp(AppRecord)
  case removeApp(AppIdentifier)
  /// What a removed app called itself; the latest of each user are kept.
  case noteFormerApp(FormerApp)
  case putGrant(GrantRecord)
  /// Its selection and its view go with it.
  case removeGrant(GrantKey)
  /// Replaces the named chunks of a grant's selection; an empty value removes the chunk.
  case putSelection(GrantKey, chunks: [(index: UInt32, bytes: [UInt8])])
  case removeSelection(GrantKey)
  case putToken(TokenRecord)
  case revokeToken(Accessor)
  /// A revoked token is known as such no more.
  case forgetToken(Accessor)
  case putPrompt(PromptRecord)
  case removePrompt(AppIdentifier)
  /// Enters a decision; `change` is what it takes to undo it, kept for the latest ones of a
  /// library; `number` learns its number.
  case decide(DecisionRecord, change: DecisionChange? = nil, number: DecisionNumber? = nil)
  /// Replaces the rule of that name.
  case putRule(RuleRecord)
  case removeRule(LibraryName, name: String)
  case putAsset(LibraryName, AssetRecord)
  /// Writes the catalogue's row of an asset and adds to its edited fields; the rest of the asset stays.
  case updateRow(LibraryName, AssetRow, edited: EditedFields)
  case setCaption(LibraryName, AssetNumber, String?)
  /// Takes fields out of an asset's edited ones: the file decides about them again.
  case clearEdited(LibraryName, AssetNumber, EditedFields)
  /// What a file says against an asset's edits; nil: no longer anything. Goes with the asset.
  case putConflict(LibraryName, AssetNumber, EditConflict?)
  /// Whether a deleted asset's files have yet to be moved to the storage's trash. Goes with the asset.
  case awaitTrash(LibraryName, AssetNumber, Bool)
  /// Who deleted an asset; nil: it is in the trash no more. Goes with the asset.
  case noteDeletion(LibraryName, AssetNumber, Deletion?)
  /// SHA-256 of an asset's original, worked out when it was needed; nothing where the original is
  /// another version by now.
  case noteDigest(LibraryName, AssetNumber, contentVersion: String, digest: [UInt8])
  case removeAsset(LibraryName, AssetNumber)
  /// Removes an asset, and keeps its record aside with what its file says against its edits (``AwayAsset``).
  case putAway(LibraryName, AssetNumber, since: Timestamp)
  /// Marks one that is kept aside; nothing where none is.
  case markAway(LibraryName, AssetNumber, MarksOfAway)
  /// What was decided between the edits and the file of one that is kept aside; nothing where none is.
  case decideAway(LibraryName, AssetNumber, ConflictOfAway)
  /// Nothing of it is kept aside any more.
  case endAway(LibraryName, AssetNumber)
  /// Forgets the oldest of those that are kept aside: that went before this, or are more than so many;
  /// ``AwayAsset/forgottenAtOnce`` at most.
  case trimAway(LibraryName, before: Timestamp, limit: Int)
  /// Remembers a file that left an asset, or replaces what is remembered under its number.
  case putParted(LibraryName, PartedFile)
  /// Forgets the first ``PartedFile/forgottenAtOnce`` of those that were found and whose places
  /// count no longer: by when that ended.
  case forgetParted(LibraryName, placesEndedBefore: Timestamp)
  case putAlbum(LibraryName, AlbumRecord)
  case removeAlbum(LibraryName, AlbumIdentifier)
  /// From this commit on the store holds the library's catalogue in a copy that was written before.
  /// No change of an asset may have been committed since the copy was taken; the first one after it
  /// makes it void.
  case keepCatalogue(LibraryName, KeptCatalogue)
  /// Entries of the library's change log, in order.
  case appendChanges(LibraryName, [ChangeRecord])
  /// Forgets entries of the change log up to this sequence number, and keeps what these grants have seen of them.
  case foldChanges(LibraryName, through: UInt64, views: [ViewRecord])
  /// Forgets entries of the change log below this sequence number, and what grants have seen.
  case trimChanges(LibraryName, below: UInt64)
  /// Counts an answered picker that gave an app something.
  case notePick(LibraryName, AppIdentifier, assets: Int, at: Timestamp)
  case putSetting(name: String, value: String)
}
