import Broker
import Cryptography
import Delivery
import Limits
import Macaroons
import PhotoModel

/// Files that are too large to be copied. Local ones are read in place, remote ones in parts.
extension FileSource {
  /// Opens a local file to be read in place; nil for a remote source. Blocks, so it is called on a
  /// worker only.
  /// - Throws: `changedWhileReading` if another file is there by now.
  func openInPlace(_ locator: String, contentVersion: String, size: Int64) throws(DeliveryError) -> FileInPlace? {
    guard case .folder(let root) = self else { return nil }
    return try FileInPlace(try root.open(locator)) { facts in
      // A backend may have versions of its own, which cannot be compared here.
      ItemFile.isFileState(contentVersion) ? Self.isState(contentVersion, of: facts) : facts.byteCount == size
    }
  }

  /// A part of a remote file. Blocks, so it is called on a worker only.
  /// - Parameter isWanted: Called as bytes arrive; false cancels.
  func part(
    of locator: String, contentVersion: String, _ range: Range<Int64>, isWanted: () -> Bool
  ) throws(DeliveryError) -> SealedCopy {
    guard case .backend(let storage, let parts) = self, parts.works else { throw .unreachable }
    var copy = try ArrivingCopy(limitBytes: range.count)
    let transfer = try RunningTransfer(
      storage, locator, contentVersion: contentVersion, from: Int(range.lowerBound), length: range.count)
    try copy.take(from: transfer.reader, first: Self.firstPatience, patience: Self.patience) { _ in isWanted() }
    if let failure = try transfer.finish(Self.patience) { throw parts.told(failure) }
    guard copy.byteCount == range.count else { throw .changedWhileReading }
    return try copy.seal()
  }
}

/// Pieces of large files, and their digests.
extension LibraryFiles {
  /// Whether a file of this size is read in pieces, without a copy of the whole.
  func isReadInParts(_ size: Int64) -> Bool {
    size > ServiceLimits.copiedBytes && (!source.isFar || source.readsRanges)
  }

  /// Blocks, so it is called on a worker only.
  /// - Throws: `changedWhileReading` if the file has changed; `readerGone` if the transfer was
  ///   cancelled.
  func piece(_ key: Key, size: Int64, offset: Int64, length: Int64, _ transfer: Transfer) throws(DeliveryError)
    -> InlinePiece
  {
    guard transfer.isWanted else { throw .readerGone }
    if let file = try source.openInPlace(key.locator, contentVersion: key.contentVersion, size: size) {
      let plan = try plan(of: file, key, transfer)
      var bytes = try file.read(offset: offset, length: length)
      plan?.overwrite(&bytes, at: Int(offset))
      return InlinePiece(bytes: bytes, wholeByteCount: file.byteCount)
    }
    guard key.withheld.isEmpty else { throw .notCleaned("a remote file of this size is not read as a whole") }
    var bytes: [UInt8] = []
    let end = offset + max(0, min(length, size - offset))
    while offset + Int64(bytes.count) < end {
      let place = offset + Int64(bytes.count)
      let (part, start) = try part(key, at: place, size, transfer)
      bytes += try InlineReader.read(part, offset: place - start, length: end - place)
    }
    return InlinePiece(bytes: bytes, wholeByteCount: size)
  }

  /// Waits for memory for a copy on the owner's behalf. Blocks, so it is called on a worker only.
  /// - Throws: `readerGone` if the transfer was cancelled.
  func memory(for size: Int64, _ transfer: Transfer) throws(DeliveryError) -> SharedAllowance.Share {
    try account.wait(for: Int(clamping: size)) { () throws(DeliveryError) in if !transfer.isWanted { throw .readerGone }
    }
  }

  /// SHA-256 of a whole file of any size. Blocks, so it is called on a worker only.
  /// - Parameter withheld: Facts that are overwritten first; for files that are not read in parts.
  /// - Throws: As ``piece(_:size:offset:length:_:)``.
  func digest(
    _ locator: String, contentVersion: String, size: Int64, without withheld: WithheldFacts = [], _ transfer: Transfer
  ) throws(DeliveryError) -> [UInt8]? {
    guard isReadInParts(size) else {
      guard size <= ServiceLimits.openedBytes else { throw .tooLarge }
      let memory = try memory(for: size, transfer)
      return try source.copy(
        locator, contentVersion: contentVersion, size: size, limitBytes: ServiceLimits.openedBytes, hasher: Self.digest,
        memory: memory, cleaned: planner(without: withheld, transfer), progress: { transfer.note($0) }
      ).digest
    }
    let file = try source.openInPlace(locator, contentVersion: contentVersion, size: size)
    let step = file == nil ? Int64(ServiceLimits.partBytes) : InlineReader.pieceLimitBytes
    do {
      let hash = try SHA256()
      var place: Int64 = 0
      while place < size {
        guard transfer.note(Int(place)) else { throw DeliveryError.readerGone }
        let range = place..<min(size, place + step)
        if let file {
          try hash.update(try file.read(offset: place, length: Int64(range.count)))
        } else {
          let part = try source.part(of: locator, contentVersion: contentVersion, range) { transfer.isWanted }
          try hash.update(try part.withBytes { [UInt8]($0) })
        }
        place = range.upperBound
      }
      return try hash.finish().bytes
    } catch let error as DeliveryError { throw error } catch { throw .notHashed }
  }

  /// The part of a remote file around an offset, and the part's start. The more files an app reads
  /// at once, the shorter their parts: a part that is evicted between two pieces would be fetched
  /// for each piece. Other apps' files do not count, because the duration of a read would reveal
  /// them.
  private func part(
    _ key: Key, at place: Int64, _ size: Int64, _ transfer: Transfer
  ) throws(DeliveryError) -> (copy: SealedCopy, start: Int64) {
    func aligned(_ length: Int) -> (key: Key, range: Range<Int64>) {
      let start = place - place % Int64(length)
      let range = start..<min(size, start + Int64(length))
      let version = "\(key.contentVersion) from \(range.lowerBound) to \(range.upperBound)"
      return (Key(app: key.app, asset: key.asset, locator: key.locator, contentVersion: version), range)
    }
    for length in Self.partLengths {
      let known = aligned(length)
      if let kept = parts.kept(known.key) { return (kept, known.range.lowerBound) }
    }
    let others = Set(parts.keys { $0.app == key.app && $0.locator != key.locator }.map(\.locator))
    let length =
      Self.partLengths.first { (others.count + 1) * $0 <= Self.keptPartBytes }
      ?? Self.partLengths[Self.partLengths.count - 1]
    let wanted = aligned(length)
    let copy = try make(wanted.key, in: parts, transfer) { () throws(DeliveryError) in
      try source.part(of: key.locator, contentVersion: key.contentVersion, wanted.range) { transfer.isWanted }
    }
    return (copy, wanted.range.lowerBound)
  }
}
