import Broker
import BrokerStore
import Catalogue

/// The store's calls as async functions.
extension Store {
  func commit(_ changes: [StoreChange]) async -> StoreFailure? {
    await withCheckedContinuation { done in commit(changes) { done.resume(returning: $0) } }
  }

  func ledger(
    of library: LibraryName, app: AppIdentifier? = nil, asset: AssetRecord? = nil, limit: Int = .max
  ) async throws -> [LedgerRecord] {
    try await ledgerPage(of: library, LedgerQuery(apps: app.map { [$0] }, asset: asset?.row.identifier, limit: limit))
      .records
  }

  func ledgerPage(of library: LibraryName, _ query: LedgerQuery) async throws -> LedgerPage {
    try await withCheckedContinuation { done in ledger(of: library, query) { done.resume(returning: $0) } }.get()
  }

  func delivered(_ library: LibraryName, _ app: AppIdentifier?) async -> Delivered {
    await withCheckedContinuation { done in delivered(library: library, app: app) { done.resume(returning: $0) } }
  }

  func decisions(of library: LibraryName? = nil, limit: Int = .max) async throws -> [(UInt64, DecisionRecord)] {
    try await decisionPage(DecisionQuery(libraries: library.map { [$0] }, limit: limit)).entries.map {
      ($0.number, $0.record)
    }
  }

  func decisionPage(_ query: DecisionQuery) async throws -> DecisionPage {
    try await withCheckedContinuation { done in decisions(query) { done.resume(returning: $0) } }.get()
  }

  func decision(_ number: UInt64) async throws -> KeptDecision? {
    try await withCheckedContinuation { done in decision(number) { done.resume(returning: $0) } }.get()
  }

  func asset(_ number: UInt32, of library: LibraryName) async throws -> AssetRecord? {
    try await withCheckedContinuation { done in
      asset(AssetNumber(number), of: library) { done.resume(returning: $0) }
    }.get()
  }

  func assets(of library: LibraryName, in scope: AssetScope) async throws -> [AssetRecord] {
    try await withCheckedContinuation { done in assets(of: library, in: scope) { done.resume(returning: $0) } }.get()
  }

  func assets(of library: LibraryName) async throws -> [AssetRecord] {
    try await withCheckedContinuation { done in assets(of: library) { done.resume(returning: $0) } }.get()
  }

  func missing(like files: [ResourceRecord], in library: LibraryName) async throws -> [MissingAsset] {
    try await withCheckedContinuation { done in missingAssets(of: library, like: files) { done.resume(returning: $0) } }
      .get()
  }

  func detached(like files: [ResourceRecord], in library: LibraryName) async throws -> [DetachedFile] {
    try await withCheckedContinuation { done in detachedFiles(of: library, like: files) { done.resume(returning: $0) } }
      .get()
  }

  func digests(of assets: [AssetNumber], in library: LibraryName) async throws -> [AssetNumber: [UInt8]] {
    try await withCheckedContinuation { done in digests(of: assets, in: library) { done.resume(returning: $0) } }.get()
  }

  func captions(of assets: [AssetNumber], in library: LibraryName) async throws -> [AssetNumber: String] {
    try await withCheckedContinuation { done in captions(of: assets, in: library) { done.resume(returning: $0) } }.get()
  }

  func locators(of library: LibraryName) async throws -> [(asset: AssetNumber, locator: String)] {
    try await withCheckedContinuation { done in locators(of: library) { done.resume(returning: $0) } }.get()
  }
}

extension SQLiteStore {
  func verifyLedger(of library: LibraryName) async throws -> LedgerVerdict {
    try await withCheckedContinuation { done in verifyLedger(of: library) { done.resume(returning: $0) } }.get()
  }
}
