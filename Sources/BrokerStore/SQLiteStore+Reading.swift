package import Broker
package import Catalogue
import PhotoModel

extension SQLiteStore {
  /// Assets per piece: about 5 ms, the longest that a commit waits for a reader.
  static let pieceAssets = 500
  /// Files per piece in searches for detached files and missing assets.
  static let pieceDetached = 50
  static let pieceBlocks = 16
  /// Decisions with their changes per piece. In large libraries a change takes up to 8 KiB per
  /// 65,536 assets.
  static let pieceDecisions = 16

  package func ledger(
    of library: LibraryName, _ query: LedgerQuery, completion: @escaping StoreCompletion<LedgerPage>
  ) {
    let progress = Progress((found: [LedgerRecord](), last: Int64.max, before: query.before ?? .max, isWritten: false))
    read(of: library, completion) { (writer) throws(SQLiteError) in
      if !progress.value.isWritten {
        progress.value.isWritten = true
        writer.writeWaitingLedger()
      }
      let blocks = try writer.ledger.blocks(of: library, before: progress.value.before, limit: Self.pieceBlocks)
      for block in blocks {
        for (index, record) in block.records.enumerated().reversed() {
          let number = block.first + Int64(index)
          guard number < query.before ?? .max, query.takes(record) else { continue }
          // One entry more than the limit: there is a further page.
          guard progress.value.found.count < query.limit else {
            return LedgerPage(records: progress.value.found, next: progress.value.last)
          }
          progress.value.found.append(record)
          progress.value.last = number
        }
        progress.value.before = block.first
      }
      guard blocks.isEmpty else { return nil }
      return LedgerPage(records: progress.value.found, wasTrimmed: try writer.ledger.wasTrimmed(of: library))
    }
  }

  package func delivered(library: LibraryName, app: AppIdentifier?, completion: @escaping (Delivered) -> Void) {
    let (run, completion) = (runOnBroker, confined(completion))
    let count: Mailbox.Read = { writer in
      let sum = (try? writer.ledger.delivered(of: library, to: app)) ?? Delivered()
      run { completion(sum) }
      return false
    }
    if !mailbox.put(count, of: library) { run { completion(Delivered()) } }
  }

  package func decisions(_ query: DecisionQuery, completion: @escaping StoreCompletion<DecisionPage>) {
    read(of: query.libraries?.min(), completion) { (writer) throws(SQLiteError) in try writer.decisions.page(query) }
  }

  package func decision(_ number: UInt64, completion: @escaping StoreCompletion<KeptDecision?>) {
    let progress = Progress((kept: KeptDecision?.none, search: OverridingSearch?.none, last: number))
    read(of: nil, completion) { (writer) throws(SQLiteError) in
      guard let kept = progress.value.kept else {
        // Assets are compared by values alone.
        guard let kept = try writer.decisions.decision(number), kept.change.map({ !$0.isOnAsset }) ?? false else {
          return .some(try writer.decisions.decision(number))
        }
        progress.value.kept = kept
        progress.value.search = OverridingSearch(of: kept)
        return nil
      }
      // In ascending order, so that the last piece finds decisions entered meanwhile.
      let later = try writer.decisions.later(like: kept, after: progress.value.last, limit: Self.pieceDecisions)
      for next in later { progress.value.search?.add(next) }
      if let last = later.last { progress.value.last = last.number }
      guard later.count < Self.pieceDecisions else { return nil }
      var found = kept
      found.overriddenBy = progress.value.search?.newest
      return .some(found)
    }
  }

  package func asset(
    _ number: AssetNumber, of library: LibraryName, completion: @escaping StoreCompletion<AssetRecord?>
  ) {
    read(of: library, completion) { (writer) throws(SQLiteError) in
      .some(try writer.assets.records(of: library, from: number.rawValue, to: number.rawValue, limit: 1).first)
    }
  }

  package func locators(
    of library: LibraryName, completion: @escaping StoreCompletion<[(asset: AssetNumber, locator: String)]>
  ) {
    let progress = Progress([(asset: AssetNumber, locator: String)]())
    read(of: library, completion) { (writer) throws(SQLiteError) in
      let next = progress.value.last.map { $0.asset.rawValue + 1 } ?? 0
      let piece = try writer.assets.locators(of: library, from: next, limit: Self.pieceAssets * 4)
      progress.value += piece
      return piece.isEmpty ? progress.value : nil
    }
  }

  package func digests(
    of assets: [AssetNumber], in library: LibraryName, completion: @escaping StoreCompletion<[AssetNumber: [UInt8]]>
  ) {
    let progress = Progress((found: [AssetNumber: [UInt8]](), rest: assets[...]))
    read(of: library, completion) { (writer) throws(SQLiteError) in
      let piece = progress.value.rest.prefix(Self.pieceAssets)
      try writer.assets.digests(of: piece, in: library) { progress.value.found[$0] = $1 }
      progress.value.rest = progress.value.rest.dropFirst(piece.count)
      return progress.value.rest.isEmpty ? progress.value.found : nil
    }
  }

  package func captions(
    of assets: [AssetNumber], in library: LibraryName, completion: @escaping StoreCompletion<[AssetNumber: String]>
  ) {
    let progress = Progress((found: [AssetNumber: String](), rest: assets[...]))
    read(of: library, completion) { (writer) throws(SQLiteError) in
      let piece = progress.value.rest.prefix(Self.pieceAssets)
      try writer.assets.captions(of: piece, in: library) { progress.value.found[$0] = $1 }
      progress.value.rest = progress.value.rest.dropFirst(piece.count)
      return progress.value.rest.isEmpty ? progress.value.found : nil
    }
  }

  package func assets(of library: LibraryName, completion: @escaping StoreCompletion<[AssetRecord]>) {
    let progress = Progress([AssetRecord]())
    read(of: library, completion) { (writer) throws(SQLiteError) in
      let next = progress.value.last.map { $0.row.number.rawValue + 1 } ?? 0
      let piece = try writer.assets.records(of: library, from: next, limit: Self.pieceAssets)
      progress.value += piece
      return piece.isEmpty ? progress.value : nil
    }
  }

  package func assets(
    of library: LibraryName, in scope: AssetScope, completion: @escaping StoreCompletion<[AssetRecord]>
  ) {
    let progress = Progress((found: [AssetRecord](), rest: ArraySlice<UInt32>?.none))
    read(of: library, completion) { (writer) throws(SQLiteError) in
      guard let rest = progress.value.rest else {
        progress.value.rest = try writer.assets.numbers(of: library, in: scope)[...]
        return nil
      }
      var piece = rest.prefix(Self.pieceAssets)
      while let first = piece.first {
        // Neighbours are read together.
        let run = piece.prefix(zip(piece, 0...).prefix { Int($0 - first) == $1 }.count)
        progress.value.found += try writer.assets.records(
          of: library, from: first, to: run.last ?? first, limit: run.count)
        piece = piece.dropFirst(run.count)
      }
      progress.value.rest = rest.dropFirst(Self.pieceAssets)
      return rest.count <= Self.pieceAssets ? progress.value.found : nil
    }
  }

  package func detachedFiles(
    of library: LibraryName, like files: [ResourceRecord], completion: @escaping StoreCompletion<[DetachedFile]>
  ) {
    let progress = Progress((found: [Int64: DetachedFile](), rest: files[...]))
    read(of: library, completion) { (writer) throws(SQLiteError) in
      if let number = try writer.optionalNumber(of: library) {
        for file in progress.value.rest.prefix(Self.pieceDetached) {
          try writer.findDetached(of: number, like: file, in: &progress.value.found)
        }
      }
      progress.value.rest = progress.value.rest.dropFirst(Self.pieceDetached)
      return progress.value.rest.isEmpty ? progress.value.found.values.sorted { $0.number < $1.number } : nil
    }
  }

  package func missingAssets(
    of library: LibraryName, like files: [ResourceRecord], completion: @escaping StoreCompletion<[MissingAsset]>
  ) {
    let progress = Progress((found: [Int64: MissingAsset](), rest: files[...]))
    read(of: library, completion) { (writer) throws(SQLiteError) in
      if let number = try writer.optionalNumber(of: library) {
        for file in progress.value.rest.prefix(Self.pieceDetached) {
          for key in try writer.assets.missingKeys(of: number, like: file) where progress.value.found[key] == nil {
            progress.value.found[key] = try writer.assets.missingAsset(key)
          }
        }
      }
      progress.value.rest = progress.value.rest.dropFirst(Self.pieceDetached)
      return progress.value.rest.isEmpty ? progress.value.found.sorted { $0.key < $1.key }.map(\.value) : nil
    }
  }

  package func verifyLedger(of library: LibraryName, completion: @escaping StoreCompletion<LedgerVerdict>) {
    let progress = Progress(LedgerCheck?.none)
    read(of: library, completion) { (writer) throws(SQLiteError) in
      if progress.value == nil { progress.value = try LedgerCheck(of: library, writer) }
      return try progress.value?.step(writer, limit: Self.pieceBlocks)
    }
  }

  /// Runs a reader in pieces on the store's thread until it returns an answer.
  /// - Parameter library: The library that takes a turn with others; nil: several.
  func read<Answer>(
    of library: LibraryName?, _ completion: @escaping StoreCompletion<Answer>,
    piece: @escaping @Sendable (Writer) throws(SQLiteError) -> Answer?
  ) {
    let (run, completion) = (runOnBroker, confined(completion))
    let next: Mailbox.Read = { writer in
      do throws(SQLiteError) {
        guard let answer = try piece(writer) else { return true }
        let carried = Progress(answer)
        run { completion(.success(carried.value)) }
      } catch {
        if error.kind != .refused { writer.database.discard() }
        run { completion(.failure(StoreFailure(error))) }
      }
      return false
    }
    if !mailbox.put(next, of: library) { run { completion(.failure(.closed())) } }
  }
}

/// A reader's intermediate result. One thread uses it at a time: the store's, then the broker's.
final class Progress<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}
