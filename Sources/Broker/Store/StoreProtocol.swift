package import Catalogue
import PhotoModel

/// What the broker needs of its durable state. One implementation is on SQLite, the other in memory
/// for tests; both pass the same conformance suite.
package protocol Store: AnyObject {
  /// Makes all changes durable, or none. `completion` runs on the broker's thread, after the disk
  /// has them. Commits that concern one library, and changes of rights, complete in the order
  /// given; a revocation may complete before changes of assets in other libraries. Never blocks the
  /// caller. A commit that takes something away (it raises `SettingName.epochFloor`, revokes a
  /// token, or removes a grant, app, library or selection) succeeds on a full disk as well.
  func commit(_ changes: [StoreChange], completion: @escaping @Sendable (StoreFailure?) -> Void)

  /// Notes that something was handed out. Kept in memory at once, written in groups within a
  /// second. Returns false where the ledger can no longer be written: reads must stop then,
  /// revoking goes on.
  func record(_ entry: LedgerRecord, in library: LibraryName) -> Bool

  /// Answers from the ledger, newest first, entries not yet written included. `completion` runs on the broker's thread.
  func ledger(
    of library: LibraryName, _ query: LedgerQuery,
    completion: @escaping @Sendable (Result<LedgerPage, StoreFailure>) -> Void)

  /// Assets and bytes that were handed to an app, for receipts; metadata does not count. No app: to
  /// all of them, removed ones too, each counted for itself.
  func delivered(library: LibraryName, app: AppIdentifier?, completion: @escaping @Sendable (Delivered) -> Void)

  /// Decisions, newest first.
  func decisions(_ query: DecisionQuery, completion: @escaping @Sendable (Result<DecisionPage, StoreFailure>) -> Void)

  /// One decision with what it takes to undo it; nil where there is none of that number, or its library is gone.
  func decision(_ number: UInt64, completion: @escaping @Sendable (Result<KeptDecision?, StoreFailure>) -> Void)

  /// The durable part of one asset that the catalogue does not hold in memory.
  func asset(
    _ number: AssetNumber, of library: LibraryName,
    completion: @escaping @Sendable (Result<AssetRecord?, StoreFailure>) -> Void)

  /// Where each asset's first resource lies, for choosing by path.
  func locators(
    of library: LibraryName,
    completion: @escaping @Sendable (Result<[(asset: AssetNumber, locator: String)], StoreFailure>) -> Void)

  /// SHA-256 of the stored originals of these assets; those that are not known yet are left out.
  func digests(
    of assets: [AssetNumber], in library: LibraryName,
    completion: @escaping @Sendable (Result<[AssetNumber: [UInt8]], StoreFailure>) -> Void)

  /// The captions that are kept of these assets; those without one are left out.
  func captions(
    of assets: [AssetNumber], in library: LibraryName,
    completion: @escaping @Sendable (Result<[AssetNumber: String], StoreFailure>) -> Void)

  /// Every asset of a library with its resources, for comparing with what the storage backend has.
  func assets(
    of library: LibraryName, completion: @escaping @Sendable (Result<[AssetRecord], StoreFailure>) -> Void)

  /// Some assets of a library with their resources, by number; costs no more than these.
  func assets(
    of library: LibraryName, in scope: AssetScope,
    completion: @escaping @Sendable (Result<[AssetRecord], StoreFailure>) -> Void)

  /// Remembered files that left assets and have anything in common with these
  /// (``PartedFile/resembles(_:)``); of many that share one thing ``PartedFile/foundAtOnce`` are
  /// enough, first those that are missing and of these the latest. Costs no more than what is
  /// found.
  func partedFiles(
    of library: LibraryName, like files: [ResourceRecord],
    completion: @escaping @Sendable (Result<[PartedFile], StoreFailure>) -> Void)

  /// Assets that are away and of which one of these files may be (``AwayAsset/mayHave(_:)``). Of
  /// many that share one thing by which files are known the latest ``AwayAsset/foundAtOnce`` are
  /// enough. Costs no more than what is found.
  func awayAssets(
    of library: LibraryName, like files: [ResourceRecord],
    completion: @escaping @Sendable (Result<[AwayAsset], StoreFailure>) -> Void)

  /// One asset that is away; nil: none of that number is kept.
  func awayAsset(
    _ number: AssetNumber, of library: LibraryName,
    completion: @escaping @Sendable (Result<AwayAsset?, StoreFailure>) -> Void)

  /// Writes a copy of a catalogue for the next start, to be kept by `StoreChange.keepCatalogue`.
  /// Waits for the disk: call it on a worker. Nil where there is no room, or the store has no use
  /// for one.
  func write(_ catalogue: Catalogue) -> KeptCatalogue?

  /// Gives up a copy that was written and is not going to be kept.
  func discard(_ written: KeptCatalogue)
}

extension Store {
  /// For a store that holds everything in memory.
  package func write(_ catalogue: Catalogue) -> KeptCatalogue? { nil }
  package func discard(_ written: KeptCatalogue) {}

  /// For a store that holds everything in memory.
  package func captions(
    of assets: [AssetNumber], in library: LibraryName,
    completion: @escaping @Sendable (Result<[AssetNumber: String], StoreFailure>) -> Void
  ) {
    self.assets(of: library) { found in
      completion(
        found.map { found in
          let known = found.filter { assets.contains($0.row.number) }.compactMap { asset in
            asset.caption.map { (asset.row.number, $0) }
          }
          return Dictionary(known) { first, _ in first }
        })
    }
  }

  /// For a store that holds everything in memory.
  package func assets(
    of library: LibraryName, in scope: AssetScope,
    completion: @escaping @Sendable (Result<[AssetRecord], StoreFailure>) -> Void
  ) {
    assets(of: library) { completion($0.map { $0.filter(scope.contains) }) }
  }
}

/// How much an app was handed.
package struct Delivered: Sendable, Equatable {
  package var assets: Int
  package var bytes: Int64

  package init(assets: Int = 0, bytes: Int64 = 0) {
    self.assets = assets
    self.bytes = bytes
  }
}

/// Why a commit did not happen. Nothing of it was kept.
package struct StoreFailure: Error, Sendable, Equatable {
  package enum Code: Sendable {
    /// The file system is full; it works again when there is room.
    case full
    /// The changes contradict what is stored, such as a grant of a library that is not there.
    case refused
    /// The disk failed.
    case input
    /// The store was closed.
    case closed
    /// What is stored is damaged.
    case corrupt
  }
  package var code: Code
  package var message: String

  package init(code: Code, message: String) {
    self.code = code
    self.message = message
  }
}
