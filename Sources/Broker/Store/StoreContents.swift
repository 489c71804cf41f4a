package import Catalogue
import PhotoModel

/// Everything that is read once, at start.
package struct StoreContents: Sendable {
  package var libraries: [LibraryContents]
  package var apps: [AppRecord]
  package var grants: [GrantRecord]
  /// Each grant's selection as its chunks, to be decoded by `Selection`.
  package var selections: [GrantKey: [(index: UInt32, bytes: [UInt8])]]
  package var tokens: [TokenRecord]
  package var prompts: [PromptRecord]
  package var settings: [String: String]
  package var rules: [RuleRecord]
  /// Apps that were removed, in the order in which they were.
  package var formerApps: [FormerApp] = []
  /// What the log should say of how all this was read.
  package var remarks: [String] = []
  /// What whoever runs the broker should know of it.
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
  /// All assets; what it does not hold of each is read when it is needed.
  package var catalogue: Catalogue
  /// Whether the store keeps this catalogue, and would read it at the next start.
  package var isCatalogueKept = false
  /// Which app added an asset, for those that an app added.
  package var creators: [AssetNumber: AppIdentifier]
  package var albums: [AlbumRecord]
  package var changes: [ChangeRecord]
  /// Changes up to this sequence are forgotten, but for what grants have seen of them.
  package var changesForgotten: UInt64 = 0
  package var views: [ViewRecord] = []
  /// The next unused asset number and change sequence; numbers are never used twice.
  package var nextNumber: UInt32
  package var nextSequence: UInt64
  package var pickerUses: [AppIdentifier: PickerUses]
  /// What files say against edits.
  package var conflicts: [AssetNumber: EditConflict]
  /// Deleted assets whose files have yet to be moved to the storage's trash.
  package var awaitingTrash: Set<AssetNumber>
  /// Who deleted what is in the trash, as far as that is known.
  package var deletions: [AssetNumber: Deletion] = [:]
  /// One more than the greatest number of a file that left an asset; 0 where there is none. What is
  /// remembered is read when it is needed.
  package var nextParted: Int64 = 0
  /// Numbers of assets that are away (``AwayAsset``), in any order. Their records are read when they are needed.
  package var away: [AssetNumber] = []

  package init(
    record: LibraryRecord, catalogue: Catalogue = Catalogue(), creators: [AssetNumber: AppIdentifier] = [:],
    albums: [AlbumRecord] = [], changes: [ChangeRecord] = [], nextNumber: UInt32 = 0, nextSequence: UInt64 = 1,
    pickerUses: [AppIdentifier: PickerUses] = [:], conflicts: [AssetNumber: EditConflict] = [:],
    awaitingTrash: Set<AssetNumber> = []
  ) {
    self.record = record
    self.catalogue = catalogue
    self.creators = creators
    self.albums = albums
    self.changes = changes
    self.nextNumber = nextNumber
    self.nextSequence = nextSequence
    self.pickerUses = pickerUses
    self.conflicts = conflicts
    self.awaitingTrash = awaitingTrash
  }
}
