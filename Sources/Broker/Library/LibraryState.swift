package import Catalogue
import Cryptography
package import PhotoModel

/// One library as the broker knows it: what is in it, what happened in it, and who is watching.
package final class LibraryState {
  package internal(set) var record: LibraryRecord
  var settings: SettingQueue
  /// Users who decline whatever its owner offers; of no use to others.
  var decliners: Set<UInt32> = []
  /// How often users accepted what is offered of it, on record.
  var acceptances: [UInt32: RecentCount] = [:]
  package internal(set) var catalogue: Catalogue
  /// The catalogue where it lies, for one look during which nothing changes it: a copy retains each of its columns.
  package var catalogueInPlace: Catalogue { _read { yield catalogue } }
  package internal(set) var albums: [AlbumIdentifier: AlbumRecord] {
    didSet {
      if albumSelections.count > albums.count { albumSelections = albumSelections.filter { albums[$0.key] != nil } }
      if movedMembers.count > albums.count { movedMembers = movedMembers.filter { albums[$0.key] != nil } }
      albumsRevision &+= 1
    }
  }
  /// Another number after each change of an album, since the library was loaded.
  var albumsRevision: UInt64 = 0
  /// Another number whenever members of an album came into sight or went out of it, since the library was loaded.
  var membersRevision: UInt64 = 0
  /// The one at which that last happened to a member of an album.
  var movedMembers: [AlbumIdentifier: UInt64] = [:]
  /// Members of any album, at a revision of the albums.
  var memberUnion: (revision: UInt64, selection: Selection)?
  /// Members of albums as they were last asked for.
  var albumSelections: [AlbumIdentifier: (members: [AssetNumber], selection: Selection)] = [:]
  /// Which app added an asset, for those that one did.
  package internal(set) var creators: [AssetNumber: AppIdentifier]
  /// What pickers gave to which app.
  var pickerUses: [AppIdentifier: PickerUses]
  /// What was edited since the library was loaded. An indexer that read an asset before must not undo it.
  var recentEdits: [AssetNumber: RecentEdit] = [:]
  /// Edits that the files contradict since they changed; for the owner.
  package internal(set) var conflicts: [AssetNumber: EditConflict]
  /// Deleted assets whose files have yet to be moved to the storage's trash.
  package internal(set) var awaitingTrash: Set<AssetNumber>
  /// Who deleted what is in the trash, as far as that is known.
  package internal(set) var deletions: [AssetNumber: Deletion]
  /// Files of change requests that are not whole yet.
  package internal(set) var additions = Additions()
  /// What the next file is numbered that leaves an asset which its owner keeps from apps; 0: none ever did.
  private(set) var nextParted: Int64
  /// The number of the first of them that the look which is under way found gone.
  var firstParted: Int64
  /// Those of them that the look which is under way found in assets, by their numbers.
  var claimedFiles: Set<Int64> = []
  /// New photos that the look which is under way may still take up (``LibraryBounds``).
  package var comingPhotos = 0
  /// Assets that are away; those are among them that the store has forgotten since.
  var away = AssetNumbers()
  /// The most photos that there were when some went away.
  var photosBeforeAway = 0
  /// What of them was marked since they went, for those who have read them before.
  var marksOfAway: [AssetNumber: MarksOfAway] = [:]
  /// What was decided between their edits and files since they went, for the same.
  var conflictsOfAway: [AssetNumber: ConflictsOfAway] = [:]
  /// How many assets there were when the last look began.
  var countAtLook = 0
  /// When the look began that is under way.
  var lookBegan: Timestamp?
  /// What the owner marked that the look that is under way found to be gone.
  var marksOfGone: [AssetNumber: AssetFlags] = [:]
  /// Assets whose files were put into the storage, by requests and out of the trash, since the look
  /// at it began that is under way; nil: none is.
  package internal(set) var placed: Set<AssetNumber>?
  /// Called when a look left files alone that it would find to be assets now.
  package var filesReleased: () -> Void = {}
  var log: ChangeLog
  var nextNumber: UInt32
  let store: any Store
  let environment: any Environment
  /// Called when old entries of the log are forgotten: has every grant of the library begin its
  /// view anew, so that older change tokens ask their apps to do the same, and answers what must be
  /// kept of that.
  package var restartViews: () -> [StoreChange] = { [] }
  /// The limited grants whose selection holds an asset: an asset that goes is forgotten by every selection, and the log
  /// must still say who had it.
  package var grantsSelecting: (AssetNumber) -> [GrantKey] = { _ in [] }
  /// The grants, whatever their status, that have any of these in their selection or soon will, or
  /// had until a moment ago.
  var grantsHolding: ([AssetNumber]) -> [GrantState] = { _ in [] }
  /// The grants of whose selection something is away.
  var grantsSelectingAway: () -> [GrantState] = { [] }
  /// What the tokens were narrowed to that are attached.
  var narrowings: () -> [Narrowing] = { [] }
  /// Who is entered for what an app did to so many albums that it did not make; nil: nobody is.
  /// - Throws: `limitExceeded` for an app that does that too often.
  var changerOfAlbums: (_ app: AppIdentifier, _ count: Int, _ takings: Int) throws(BrokerError) -> Decider? = {
    _, _, _ in nil
  }
  /// What goes with a commit that takes from sight what no grant records.
  var narrowingMark: () -> StoreChange? = { nil }
  /// Asked just before assets go out of sight: which grants show any of them. What it answers makes
  /// everything stale that was admitted on these grants; others must not notice.
  var beforeTaking: (_ assets: [AssetNumber], _ fromLimited: [AssetNumber]) -> () -> Void = { _, _ in {} }
  /// Called when something new is in the log: has it looked at for every grant, soon and not at once.
  package var logGrew: () -> Void = {}
  var observers: [ObjectIdentifier: ChangeObserver] = [:]
  /// Edits of selections in the making.
  var drafts = SelectionDrafts()
  private var seals: [AppIdentifier: AppSeals] = [:]
  /// What waits for its turn: an owner's changes, which come first, and all others.
  var waiting: (owners: [() -> Void], others: [() -> Void]) = ([], [])
  /// Whether a change of content is being planned, on its way to the disk, or taken up.
  var isBusy = false
  /// The turns of what owners decide about content, in all libraries: one of each owner's at a time.
  var ownersTurns = UserTurns(limit: 1)
  /// Does something in pieces, as long as a piece answers that more are left; others may be served in between.
  package var inPieces: (_ piece: @escaping () -> Bool) -> Void = { piece in while piece() {} }
  /// Another number after each change of assets, marks, albums and the trash, also after a restart:
  /// it begins at the time of day.
  package internal(set) var revision: Int64
  package internal(set) var recentChanges: RecentChanges

  /// How many conflicts were open at a revision.
  struct CountedConflicts {
    let revision: Int64
    let count: Int
  }
  var countedConflicts: CountedConflicts?

  /// Commits that change assets, counted as they are given to the store.
  var contentCommits = 0
  /// The count at which the store was last given the catalogue to keep; nil: not since the library was loaded.
  var keptAt: Int?

  package init(contents: LibraryContents, store: any Store, environment: any Environment) {
    record = contents.record
    settings = SettingQueue(contents.record)
    catalogue = contents.catalogue
    keptAt = contents.isCatalogueKept ? 0 : nil
    albums = Dictionary(contents.albums.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
    creators = contents.creators
    pickerUses = contents.pickerUses
    conflicts = contents.conflicts
    awaitingTrash = contents.awaitingTrash
    deletions = contents.deletions
    log = ChangeLog(
      entries: contents.changes, nextSequence: contents.nextSequence, forgotten: contents.changesForgotten)
    nextNumber = contents.nextNumber
    nextParted = contents.nextParted
    firstParted = contents.nextParted
    for number in contents.away { away.insert(number) }
    photosBeforeAway = catalogue.count + away.count
    revision = environment.now.microseconds
    recentChanges = RecentChanges(from: revision)
    self.store = store
    self.environment = environment
  }

  /// The identifiers, cursors and tokens of one app in this library.
  package func seals(of app: AppIdentifier) throws(BrokerError) -> AppSeals {
    if let known = seals[app] { return known }
    let made = try AppSeals(library: record, app: app)
    seals[app] = made
    return made
  }

  /// What joins a selection with the first decision on reading: what the app added before is its
  /// own from the start (R43), also where the answer is no.
  func joining(from before: GrantRecord, to after: GrantRecord) -> Selection {
    guard before.status == .notDetermined, after.status != .notDetermined, after.key.level == .readWrite else {
      return catalogue.emptySelection()
    }
    return assets(createdBy: [after.key.app])
  }

  /// Assets that an app added; they belong to its selection whenever it becomes limited (R43).
  package func assets(createdBy apps: Set<AppIdentifier>) -> Selection {
    catalogue.selection(of: creators.lazy.filter { apps.contains($0.value) }.map(\.key))
  }

  func takePartedNumber() -> Int64 {
    defer { nextParted += 1 }
    return nextParted
  }

  // MARK: What happened

  /// Puts durable records into the log and tells whoever watches.
  func append(_ records: [ChangeRecord]) {
    guard !records.isEmpty else { return }
    enter(records)
    tellOfChanges()
  }

  /// Puts durable records into the log, of which whoever watches is told later.
  func enter(_ records: [ChangeRecord]) {
    log.append(records)
    noteMoves(of: records)
  }

  func tellOfChanges() {
    signalObservers()
    logGrew()
  }

  /// Where a view that begins now begins in the log.
  package var presentSequence: UInt64 { log.lastSequence }
}

/// Carries values of the broker's one thread through a `@Sendable` completion that runs on that same thread.
final class Confined<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}

extension BrokerError {
  static func failed(_ failure: StoreFailure) -> Self { Self(.failed, .notKept, failure.message) }
}
