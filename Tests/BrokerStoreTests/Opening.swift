import Broker
import BrokerStore
import StoreScript

extension SQLiteStore {
  /// Opens a test's store. Answers come on the store's own thread.
  static func open(
    _ folder: TestFolder, _ change: (inout StoreOptions) -> Void = { _ in }
  ) throws -> (SQLiteStore, StoreContents) {
    var options = StoreOptions()
    options.reserveBytes = 64 << 10
    change(&options)
    return try open(directory: folder.path, options: options) { $0() }
  }

  /// The stored state as text.
  func lines(_ contents: StoreContents) async throws -> [String] {
    var assets: [LibraryName: [AssetRecord]] = [:]
    for library in contents.libraries { assets[library.record.name] = try await self.assets(of: library.record.name) }
    return StateText.lines(contents, assets: assets, decisions: try await decisions().reversed().map(\.1))
  }
}

extension ModelStore {
  convenience init(after commits: some Sequence<[StoreChange]>) {
    self.init()
    for changes in commits { apply(changes) }
  }
}
