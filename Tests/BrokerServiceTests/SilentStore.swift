import Broker
import Catalogue
import PhotoModel

/// A store that discards everything and reports success, for tests of the layers above it.
final class SilentStore: Store {
  func commit(_ changes: [StoreChange], completion: @escaping (StoreFailure?) -> Void) { completion(nil) }
  func record(_ entry: LedgerRecord, in library: LibraryName) -> Bool { true }

  func verifyLedger(
    of library: LibraryName, completion: @escaping (Result<LedgerVerdict, StoreFailure>) -> Void
  ) {
    completion(.success(.intact(entries: 0)))
  }

  func ledger(
    of library: LibraryName, _ query: LedgerQuery,
    completion: @escaping (Result<LedgerPage, StoreFailure>) -> Void
  ) {
    completion(.success(LedgerPage(records: [])))
  }

  func delivered(library: LibraryName, app: AppIdentifier?, completion: @escaping (Delivered) -> Void) {
    completion(Delivered())
  }

  func decisions(_ query: DecisionQuery, completion: @escaping (Result<DecisionPage, StoreFailure>) -> Void) {
    completion(.success(DecisionPage(entries: [])))
  }

  func decision(_ number: UInt64, completion: @escaping (Result<KeptDecision?, StoreFailure>) -> Void) {
    completion(.success(nil))
  }

  func asset(
    _ number: AssetNumber, of library: LibraryName,
    completion: @escaping (Result<AssetRecord?, StoreFailure>) -> Void
  ) { completion(.success(nil)) }

  func locators(
    of library: LibraryName,
    completion: @escaping (Result<[(asset: AssetNumber, locator: String)], StoreFailure>) -> Void
  ) { completion(.success([])) }

  func assets(of library: LibraryName, completion: @escaping (Result<[AssetRecord], StoreFailure>) -> Void) {
    completion(.success([]))
  }

  func missingAssets(
    of library: LibraryName, like files: [ResourceRecord],
    completion: @escaping (Result<[MissingAsset], StoreFailure>) -> Void
  ) {}

  func detachedFiles(
    of library: LibraryName, like files: [ResourceRecord],
    completion: @escaping (Result<[DetachedFile], StoreFailure>) -> Void
  ) { completion(.success([])) }

  func digests(
    of assets: [AssetNumber], in library: LibraryName,
    completion: @escaping (Result<[AssetNumber: [UInt8]], StoreFailure>) -> Void
  ) { completion(.success([:])) }

  func captions(
    of assets: [AssetNumber], in library: LibraryName, completion: @escaping StoreCompletion<[AssetNumber: String]>
  ) { completion(.success([:])) }

  func assets(
    of library: LibraryName, in scope: AssetScope, completion: @escaping StoreCompletion<[AssetRecord]>
  ) { completion(.success([])) }

  func write(_ catalogue: Catalogue) -> KeptCatalogue? { nil }
  func discard(_ written: KeptCatalogue) {}
}
