package import Catalogue
import PhotoModel

/// Receives an answer of the store, on the broker's thread.
package typealias StoreCompletion<Value> = (Result<Value, StoreFailure>) -> Void

/// The broker's durable state. One implementation uses SQLite, the other is in memory for tests;
/// both pass the same conformance suite.
package protocol Store: AnyObject {
  /// Makes all changes durable, or none. Never blocks the caller.
  ///
  /// `completion` runs on the broker's thread, after the commit. Commits of one library, and
  /// changes of rights, complete in the given order. A revocation may complete before changes of
  /// assets in other libraries. A restriction succeeds on a full disk as well: a commit that raises
  /// `SettingName.epochFloor`, revokes a token, or removes a grant, app, library or selection.
  func commit(_ changes: [StoreChange], completion: @escaping (StoreFailure?) -> Void)

  /// Records a delivery. It counts in memory at once, and is written in groups within a second.
  /// Returns false if the ledger cannot be written any more: reads must stop then, while revoking
  /// still works.
  func record(_ entry: LedgerRecord, in library: LibraryName) -> Bool

  /// Lists the ledger, newest first, including unwritten entries. `completion` runs on the broker's
  /// thread.
  func ledger(of library: LibraryName, _ query: LedgerQuery, completion: @escaping StoreCompletion<LedgerPage>)

  /// Checks a library's ledger against its seals.
  func verifyLedger(of library: LibraryName, completion: @escaping StoreCompletion<LedgerVerdict>)

  /// Counts the assets and bytes that an app received, for receipts; metadata does not count.
  /// Without an app it is the sum over all apps, removed ones too.
  func delivered(library: LibraryName, app: AppIdentifier?, completion: @escaping (Delivered) -> Void)

  /// Lists decisions, newest first.
  func decisions(_ query: DecisionQuery, completion: @escaping StoreCompletion<DecisionPage>)

  /// Reads one decision with its change; nil if there is none of that number, or its library was
  /// removed.
  func decision(_ number: UInt64, completion: @escaping StoreCompletion<KeptDecision?>)

  /// Reads the stored part of one asset that the catalogue does not have; nil for a missing one.
  func asset(_ number: AssetNumber, of library: LibraryName, completion: @escaping StoreCompletion<AssetRecord?>)

  /// Reads the place of each asset's first resource, for choosing by path. Missing assets included.
  func locators(of library: LibraryName, completion: @escaping StoreCompletion<[(asset: AssetNumber, locator: String)]>)

  /// Reads the known SHA-256 of these assets' originals.
  func digests(
    of assets: [AssetNumber], in library: LibraryName, completion: @escaping StoreCompletion<[AssetNumber: [UInt8]]>)

  /// Reads the captions of these assets; those without one are left out.
  func captions(
    of assets: [AssetNumber], in library: LibraryName, completion: @escaping StoreCompletion<[AssetNumber: String]>)

  /// Reads all assets of a library that are not missing, with their resources, to compare with the
  /// storage.
  func assets(of library: LibraryName, completion: @escaping StoreCompletion<[AssetRecord]>)

  /// Reads some of them, by number. The cost depends only on these.
  func assets(of library: LibraryName, in scope: AssetScope, completion: @escaping StoreCompletion<[AssetRecord]>)

  /// Reads files that left assets and have a key in common with these: identity, place, or the size
  /// with the hash, a digest or the name. For each key ``DetachedFile/foundAtOnce`` are enough:
  /// missing ones first, the latest first. The cost depends only on the result.
  func detachedFiles(
    of library: LibraryName, like files: [ResourceRecord], completion: @escaping StoreCompletion<[DetachedFile]>)

  /// Reads missing assets to which one of these files may belong, by identity or place. A sidecar
  /// finds assets by their sidecars alone. Bytes alone are no proof, because the file could be a copy.
  /// For each key the latest ``MissingAsset/foundAtOnce`` are enough. The cost depends only on the
  /// result.
  func missingAssets(
    of library: LibraryName, like files: [ResourceRecord], completion: @escaping StoreCompletion<[MissingAsset]>)

  /// Writes a copy of a catalogue for the next start, for use with `StoreChange.keepCatalogue`.
  /// Blocks on the disk: call it on a worker. Nil if there is no room, or the store needs none.
  func write(_ catalogue: Catalogue) -> KeptCatalogue?

  /// Deletes a written copy that is not used.
  func discard(_ written: KeptCatalogue)
}

/// The number of assets and bytes that an app received.
package struct Delivered: Sendable, Equatable {
  package var assets: Int
  package var bytes: Int64

  package init(assets: Int = 0, bytes: Int64 = 0) {
    self.assets = assets
    self.bytes = bytes
  }
}

/// The reason why a commit failed. Nothing of it is stored.
package struct StoreFailure: Error, Sendable, Equatable {
  package enum Code: Sendable {
    /// The file system is full; a retry works when there is room.
    case full
    /// The changes contradict the stored state, such as a grant of a missing library.
    case refused
    /// An I/O error.
    case input
    /// The store was closed.
    case closed
    /// The stored state is damaged.
    case corrupt
  }
  package var code: Code
  package var message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
