package import Broker
package import Catalogue
package import PhotoModel

extension SQLiteStore {
  /// Assets that are read in one piece: about 5 ms, the longest that a commit waits for a reader.
  static let pieceAssets = 500
  /// Ledger blocks that are read in one piece.
  static let pieceBlocks = 16

  package func ledger(
    of library: LibraryName, app: AppIdentifier?, asset: AssetIdentifier?, limit: Int,
    completion: @escaping @Sendable (Result<[LedgerRecord], StoreFailure>) -> Void
  ) {
    let progress = Progress((found: [LedgerRecord](), before: Int64.max))
    read(completion) { (writer) throws(SQLiteError) in
      if progress.value.before == .max { writer.writeWaitingLedger() }
      let blocks = try writer.ledgerBlocks(of: library, before: progress.value.before, limit: Self.pieceBlocks)
      for block in blocks {
        progress.value.before = block.first
        for record in block.records.reversed() where progress.value.found.count < limit {
          // A gap concerns everybody.
          guard record.isGap || (app ?? record.app) == record.app && (asset ?? record.asset) == record.asset else { continue }
          progress.value.found.append(record)
        }
      }
      let isDone = blocks.isEmpty || progress.value.found.count >= limit
      return isDone ? progress.value.found : nil
    }
  }

  package func delivered(
    library: LibraryName, app: AppIdentifier, completion: @escaping @Sendable (Delivered) -> Void
  ) {
    let run = runOnBroker
    let isTaken = mailbox.put { writer in
      writer.writeWaitingLedger()
      let number = try? writer.optionalNumber(of: library)
      let sum = number.flatMap { writer.deliveries[DeliveryKey(library: $0, app: app)] } ?? Delivered()
      run { completion(sum) }
      return false
    }
    if !isTaken { run { completion(Delivered()) } }
  }

  package func decisions(
    library: LibraryName?, limit: Int,
    completion: @escaping @Sendable (Result<[(UInt64, DecisionRecord)], StoreFailure>) -> Void
  ) {
    read(completion) { (writer) throws(SQLiteError) in try writer.decisions(of: library, limit: limit) }
  }

  package func asset(
    _ number: AssetNumber, of library: LibraryName,
    completion: @escaping @Sendable (Result<AssetRecord?, StoreFailure>) -> Void
  ) {
    read(completion) { (writer) throws(SQLiteError) in
      .some(try writer.assets(of: library, from: number.rawValue, limit: 1).first { $0.row.number == number })
    }
  }

  package func locators(
    of library: LibraryName,
    completion: @escaping @Sendable (Result<[(asset: AssetNumber, locator: String)], StoreFailure>) -> Void
  ) {
    let progress = Progress([(asset: AssetNumber, locator: String)]())
    read(completion) { (writer) throws(SQLiteError) in
      let next = progress.value.last.map { $0.asset.rawValue + 1 } ?? 0
      let piece = try writer.locators(of: library, from: next, limit: Self.pieceAssets * 4)
      progress.value += piece
      return piece.isEmpty ? progress.value : nil
    }
  }

  package func digests(
    of assets: [AssetNumber], in library: LibraryName,
    completion: @escaping @Sendable (Result<[AssetNumber: [UInt8]], StoreFailure>) -> Void
  ) {
    let progress = Progress((found: [AssetNumber: [UInt8]](), rest: assets[...]))
    read(completion) { (writer) throws(SQLiteError) in
      let piece = progress.value.rest.prefix(Self.pieceAssets)
      try writer.digests(of: piece, in: library) { progress.value.found[$0] = $1 }
      progress.value.rest = progress.value.rest.dropFirst(piece.count)
      return progress.value.rest.isEmpty ? progress.value.found : nil
    }
  }

  package func assets(
    of library: LibraryName, completion: @escaping @Sendable (Result<[AssetRecord], StoreFailure>) -> Void
  ) {
    let progress = Progress([AssetRecord]())
    read(completion) { (writer) throws(SQLiteError) in
      let next = progress.value.last.map { $0.row.number.rawValue + 1 } ?? 0
      let piece = try writer.assets(of: library, from: next, limit: Self.pieceAssets)
      progress.value += piece
      return piece.isEmpty ? progress.value : nil
    }
  }

  /// Checks a library's ledger against its seals.
  package func verifyLedger(
    of library: LibraryName, completion: @escaping @Sendable (Result<LedgerVerdict, StoreFailure>) -> Void
  ) {
    let progress = Progress(LedgerCheck?.none)
    read(completion) { (writer) throws(SQLiteError) in
      if progress.value == nil { progress.value = try LedgerCheck(of: library, writer) }
      return try progress.value?.step(writer, limit: Self.pieceBlocks)
    }
  }

  /// Runs a reader piece by piece on the store's thread, until it answers something.
  func read<Answer>(
    _ completion: @escaping @Sendable (Result<Answer, StoreFailure>) -> Void,
    piece: @escaping @Sendable (Writer) throws(SQLiteError) -> Answer?
  ) {
    let run = runOnBroker
    let isTaken = mailbox.put { writer in
      do throws(SQLiteError) {
        guard let answer = try piece(writer) else { return true }
        let carried = Progress(answer)
        run { completion(.success(carried.value)) }
      } catch {
        if error.kind != .refused { writer.discard() }
        run { completion(.failure(StoreFailure(error))) }
      }
      return false
    }
    if !isTaken { run { completion(.failure(.closed())) } }
  }
}

/// What a reader has so far. It is used by one thread at a time: the store's, then the broker's.
final class Progress<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}
