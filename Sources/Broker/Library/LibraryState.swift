package import Catalogue
package import Macaroons
import PhotoModel

/// The state of one library: content, log and observers.
package final class LibraryState: LibraryPart {
  package let configuration: LibraryConfiguration
  package var record: LibraryRecord { _read { yield configuration.record } }
  var acceptances: [UInt32: RecentCount] = [:]
  package let assets: LibraryAssets
  package var catalogue: Catalogue { assets.catalogue }
  package let albums: LibraryAlbums
  package let albumEditor: AlbumEditor
  let assetEditor: AssetEditor
  package let changes: LibraryChanges
  package let catalogueCopy: CatalogueCopy
  let core: LibraryCore
  var pickerUses: [AppIdentifier: PickerUses]
  package let trash: LibraryTrash
  package let additions: Additions
  package let scan: LibraryScan
  let missing: MissingAssets
  package let marks: LibraryMarks
  package let selections: LibrarySelections
  let live: LiveSelections
  package let seals: LibrarySeals
  /// The changes of apps that the storage takes none of, as far as known; set when it opens (R158).
  package var refusedByStorage: Verbs = []

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
    core = LibraryCore(
      configuration: configuration, assets: assets, albums: albums, changes: changes,
      content: ContentQueue(
        assets: assets, changes: changes, copy: catalogueCopy, configuration: configuration, store: store,
        broker: broker),
      store: store, environment: environment, broker: broker)
    pickerUses = contents.pickerUses
    trash = LibraryTrash(core, contents)
    missing = MissingAssets(core, contents, trash: trash)
    scan = LibraryScan(
      core, nextDetached: contents.nextDetached, additions: additions, trash: trash, missing: missing)
    albumEditor = AlbumEditor(core)
    assetEditor = AssetEditor(core, trash: trash)
    marks = LibraryMarks(
      core, areUnknown: settings[SettingName.unknownMarks + name.description]?.isEmpty == false)
    selections = LibrarySelections(core)
    live = LiveSelections(core, selections: selections)
    core.content.follow = { [unowned live] in live.follow(&$0) }
  }

  /// The committed catalogue for a worker to write and hand to ``CatalogueCopy/keep(_:at:)``; nil
  /// while a commit is running.
  package func catalogueToCopy() -> (catalogue: Catalogue, at: Int)? {
    content.isBusy ? nil : (catalogue, catalogueCopy.commits)
  }
}

extension BrokerError {
  static func failed(_ failure: StoreFailure) -> Self { Self(.failed, .notKept, failure.message) }
}
