package import Catalogue
import PhotoModel

/// The state that is read once, at start.
package struct StoreContents: Sendable {
  package var libraries: [LibraryContents]
  package var apps: [AppRecord]
  package var grants: [GrantRecord]
  /// Each grant's selection in chunks, which `Selection` decodes.
  package var selections: [GrantKey: [(index: UInt32, bytes: [UInt8])]]
  package var tokens: [TokenRecord]
  package var budgets: [TakenBudget] = []
  package var prompts: [PromptRecord]
  package var settings: [String: String]
  package var rules: [RuleRecord]
  /// Removed apps, in the order of removal.
  package var formerApps: [FormerApp] = []
  /// Lines for the log about this reading.
  package var remarks: [String] = []
  /// Warnings for the administrator.
  package var warnings: [String] = []

  package init(
    libraries: [LibraryContents] = [], apps: [AppRecord] = [], grants: [GrantRecord] = [],
    selections: [GrantKey: [(index: UInt32, bytes: [UInt8])]] = [:], tokens: [TokenRecord] = [],
    prompts: [PromptRecord] = [], settings: [String: String] = [:], rules: [RuleRecord] = []
  ) {
    self.libraries = libraries
    self.apps = apps
    self.grants = grants
    self.selections = selections
    self.tokens = tokens
    self.prompts = prompts
    self.settings = settings
    self.rules = rules
  }
}

/// One library's part of ``StoreContents``.
package struct LibraryContents: Sendable {
  package var record: LibraryRecord
  /// All assets. Facts that it does not hold are read on demand.
  package var catalogue: Catalogue
  /// Whether the store has a copy of this catalogue for the next start.
  package var isCatalogueKept = false
  /// The app that added an asset, for assets that apps added.
  package var creators: [AssetNumber: AppIdentifier]
  package var albums: [AlbumRecord]
  package var changes: [ChangeRecord]
  /// Changes up to this sequence are dropped, except those stored in ``views``.
  package var changesForgotten: UInt64 = 0
  package var views: [ViewRecord] = []
  /// The next asset number and change sequence; numbers are never reused.
  package var nextNumber: UInt32
  package var nextSequence: UInt64
  package var pickerUses: [AppIdentifier: PickerUses]
  /// Trashed assets whose files have yet to be moved to the storage's trash.
  package var awaitingTrash: Set<AssetNumber>
  /// The deleting app of trashed assets, if known.
  package var deletions: [AssetNumber: Deletion] = [:]
  /// One more than the greatest number of a file that left an asset; 0: none. The records are read
  /// on demand.
  package var nextDetached: Int64 = 0
  /// Deliveries of the ledger's last day that count for an allowance, the oldest first.
  package var deliveries: [LedgerRecord] = []
  /// Missing assets, the oldest first.
  package var missing: [MissingAsset.Loss] = []

  package init(
    record: LibraryRecord, catalogue: Catalogue = Catalogue(), creators: [AssetNumber: AppIdentifier] = [:],
    albums: [AlbumRecord] = [], changes: [ChangeRecord] = [], nextNumber: UInt32 = 0, nextSequence: UInt64 = 1,
    pickerUses: [AppIdentifier: PickerUses] = [:], awaitingTrash: Set<AssetNumber> = []
  ) {
    self.record = record
    self.catalogue = catalogue
    self.creators = creators
    self.albums = albums
    self.changes = changes
    self.nextNumber = nextNumber
    self.nextSequence = nextSequence
    self.pickerUses = pickerUses
    self.awaitingTrash = awaitingTrash
  }
}
