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
  /// Rows for the catalogue; the rest of each asset is read when it is needed.
  package var rows: [AssetRow]
  /// Which app added an asset, for those that an app added.
  package var creators: [AssetNumber: AppIdentifier]
  package var albums: [AlbumRecord]
  package var changes: [ChangeRecord]
  /// The next unused asset number and change sequence; numbers are never used twice.
  package var nextNumber: UInt32
  package var nextSequence: UInt64
  package var pickerUses: [AppIdentifier: PickerUses]

  package init(
    record: LibraryRecord, rows: [AssetRow] = [], creators: [AssetNumber: AppIdentifier] = [:],
    albums: [AlbumRecord] = [], changes: [ChangeRecord] = [], nextNumber: UInt32 = 0, nextSequence: UInt64 = 1,
    pickerUses: [AppIdentifier: PickerUses] = [:]
  ) {
    self.record = record
    self.rows = rows
    self.creators = creators
    self.albums = albums
    self.changes = changes
    self.nextNumber = nextNumber
    self.nextSequence = nextSequence
    self.pickerUses = pickerUses
  }
}
