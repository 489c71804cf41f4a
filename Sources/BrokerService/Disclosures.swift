import Broker
import Catalogue

/// The entries of disclosures in the ledgers, made before anything is handed over.
final class Disclosures {
  private let store: any Store
  private let environment: any Environment
  private let allowances: Allowances
  private var noted: [Accessor: NotedAssets] = [:]
  /// The child tokens in it, which apps make: the latest.
  private var children: [Accessor] = []
  private static let keptChildren = 32

  init(store: any Store, environment: any Environment, allowances: Allowances) {
    self.allowances = allowances
    self.store = store
    self.environment = environment
  }

  /// Records that an app is about to receive these assets' metadata: once a day for each token and
  /// version of an asset.
  /// - Throws: `ledgerUnavailable`; nothing may be handed over then.
  func noteMetadata(_ assets: [AssetFacts], _ permit: Permit) throws(CallFailure) {
    let accessor = permit.accessor
    let now = environment.now
    if permit.attachment.isChild, noted[accessor] == nil {
      children.append(accessor)
      if children.count > Self.keptChildren { noted[children.removeFirst()] = nil }
    }
    // Taken out of the dictionary, so that its array is changed in place.
    var known = noted.removeValue(forKey: accessor).flatMap { $0.isCurrent(at: now) ? $0 : nil } ?? NotedAssets(at: now)
    defer { noted[accessor] = known }
    let fresh = assets.filter { !known.contains($0) }
    for asset in fresh { try record(asset, "metadata", 0, permit) }
    for asset in fresh { known.insert(asset) }
  }

  /// Records bytes that are about to be handed over, every time, and counts them for the allowance.
  /// - Throws: `ledgerUnavailable`, `accessUserDenied`; nothing may be handed over then.
  func note(_ asset: AssetFacts, _ rendition: String, _ bytes: Int64, _ permit: Permit) throws(CallFailure) {
    try decide(allowances.take(asset.number, bytes, under: permit))
    try record(asset, rendition, bytes, permit)
  }

  /// Records that a picked file was not delivered, for its owner.
  func noteNotCleaned(_ asset: AssetFacts, _ permit: Permit) throws(CallFailure) {
    try record(asset, LedgerRecord.notCleaned, 0, permit)
  }

  private func record(_ asset: AssetFacts, _ rendition: String, _ bytes: Int64, _ permit: Permit) throws(CallFailure) {
    let entry = LedgerRecord(
      time: environment.now, app: permit.app, accessor: permit.accessor, asset: asset.identifier, rendition: rendition,
      bytes: bytes)
    guard store.record(entry, in: permit.library.record.name) else { throw .broker(.ledgerUnavailable) }
  }
}
