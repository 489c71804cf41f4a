package import Catalogue
import Cryptography
import PhotoModel

/// The state of one library: content, log and observers.
package final class LibraryState {
  package let configuration: LibraryConfiguration
  package var record: LibraryRecord { _read { yield configuration.record } }
  var acceptances: [UInt32: RecentCount] = [:]
  package let assets: LibraryAssets
  package var catalogue: Catalogue { assets.catalogue }
  package let albums: LibraryAlbums
  package let changes: LibraryChanges
  package let catalogueCopy: CatalogueCopy
  let content: ContentQueue
  var pickerUses: [AppIdentifier: PickerUses]
  package let trash: LibraryTrash
  package let additions: Additions
  /// The number for the next file that leaves a hidden or never-shared asset; 0: none did yet.
  private(set) var nextParted: Int64
  /// The first number for such a file in the running scan.
  var firstParted: Int64
  /// Numbers of such files that the running scan found in assets.
  var claimedFiles: Set<Int64> = []
  /// New photos that the running scan may still add (``LibraryBounds``).
  package var comingPhotos = 0
  /// Whether a restore could not know which assets were hidden or never shared since the backup, and
  /// no owner has confirmed the marks yet. No grant is given meanwhile.
  var hasUnknownMarks = false
  /// Missing assets, the oldest first (``MissingAsset``).
  var missing: [MissingAsset.Loss]
  /// The largest number of photos before some went missing.
  var photosBeforeMissing: Int
  /// The number of assets when the last scan began.
  var countAtLook = 0
  var lookBegan: Timestamp?
  /// Marks of assets that the running scan found gone.
  var marksOfGone: [AssetNumber: AssetFlags] = [:]
  let store: any Store
  let environment: any Environment
  unowned let broker: any LibraryBroker
  var drafts = SelectionDrafts()
  package let seals: LibrarySeals

  init(
    contents: LibraryContents, settings: [String: String] = [:], store: any Store, environment: any Environment,
    broker: any LibraryBroker
  ) {
    let name = contents.record.name
    seals = LibrarySeals(rootKey: contents.record.rootKey)
    configuration = LibraryConfiguration(contents.record, store: store)
    assets = LibraryAssets(contents)
    albums = LibraryAlbums(contents.albums, assets: assets)
    changes = LibraryChanges(
      contents, assets: assets, albums: albums, seals: seals, store: store, environment: environment, broker: broker)
    additions = Additions(
      settings[SettingName.additions + name.description] ?? "", of: name, store: store, environment: environment,
      broker: broker)
    catalogueCopy = CatalogueCopy(of: contents, store: store)
    content = ContentQueue(
      assets: assets, changes: changes, copy: catalogueCopy, configuration: configuration, store: store, broker: broker)
    pickerUses = contents.pickerUses
    trash = LibraryTrash(
      contents, assets: assets, albums: albums, changes: changes, content: content, store: store,
      environment: environment, broker: broker)
    nextParted = contents.nextParted
    firstParted = contents.nextParted
    missing = contents.missing
    photosBeforeMissing = contents.catalogue.count + contents.missing.count
    self.store = store
    self.environment = environment
    self.broker = broker
  }

  /// The committed catalogue for a worker to write and hand to ``CatalogueCopy/keep(_:at:)``; nil
  /// while a commit is running.
  package func catalogueToCopy() -> (catalogue: Catalogue, at: Int)? {
    content.isBusy ? nil : (catalogue, catalogueCopy.commits)
  }

  /// The app's own earlier additions, which join its selection with the first read-write decision
  /// (R43), even a denial.
  func joining(from before: GrantRecord, to after: GrantRecord) -> Selection {
    guard before.status == .notDetermined, after.status != .notDetermined, after.key.level == .readWrite else {
      return catalogue.emptySelection()
    }
    return assets.created(by: [after.key.app])
  }

  func takePartedNumber() -> Int64 {
    defer { nextParted += 1 }
    return nextParted
  }
}

/// Passes values of the broker's thread through a `@Sendable` completion that runs on the same
/// thread.
final class Confined<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}

extension BrokerError {
  static func failed(_ failure: StoreFailure) -> Self { Self(.failed, .notKept, failure.message) }
}
