import Broker
import Catalogue
import PhotoModel

/// A store that discards everything and reports success, for tests of the layers above it.
final class SilentStore: Store {
  func commit(_ changes: [StoreChange], completion: @escaping @Sendable (StoreFailure?) -> Void) { completion(nil) }
  func record(_ entry: LedgerRecord, in library: LibraryName) -> Bool { true }

  func verifyLedger(
    of library: LibraryName, completion: @escaping @Sendable (Result<LedgerVerdict, StoreFailure>) -> Void
  ) {
    completion(.success(.intact(entries: 0)))
  }

  func ledger(
    of library: LibraryName, _ query: LedgerQuery,
    completion: @escaping @Sendable (Result<LedgerPage, StoreFailure>) -> Void
  ) {
    completion(.success(LedgerPage(records: [])))
  }

  func delivered(library: LibraryName, app: AppIdentifier?, completion: @escaping @Sendable (Delivered) -> Void) {
    completion(Delivered())
  }

  func decisions(_ query: DecisionQuery, completion: @escaping @Sendable (Result<DecisionPage, StoreFailure>) -> Void) {
    completion(.success(DecisionPage(entries: [])))
  }

  func decision(_ number: UInt64, completion: @escaping @Sendable (Result<KeptDecision?, StoreFailure>) -> Void) {
    completion(.success(nil))
  }

  func asset(
    _ number: AssetNumber, of library: LibraryName,
    completion: @escaping @Sendable (Result<AssetRecord?, StoreFailure>) -> Void
  ) { completion(.success(nil)) }

  func locators(
    of library: LibraryName,
    completion: @escaping @Sendable (Result<[(asset: AssetNumber, locator: String)], StoreFailure>) -> Void
  ) { completion(.success([])) }

  func assets(of library: LibraryName, completion: @escaping @Sendable (Result<[AssetRecord], StoreFailure>) -> Void) {
    completion(.success([]))
  }

  func missingAssets(
    of library: LibraryName, like files: [ResourceRecord],
    completion: @escaping @Sendable (Result<[MissingAsset], StoreFailure>) -> Void
  ) {}

  func detachedFiles(
    of library: LibraryName, like files: [ResourceRecord],
    completion: @escaping @Sendable (Result<[DetachedFile], StoreFailure>) -> Void
  ) { completion(.success([])) }

  func digests(
    of assets: [AssetNumber], in library: LibraryName,
    completion: @escaping @Sendable (Result<[AssetNumber: [UInt8]], StoreFailure>) -> Void
  ) { completion(.success([:])) }
}
