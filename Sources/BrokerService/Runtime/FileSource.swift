import Broker
import Delivery
import Glibc
import Limits
import Monitor
import PhotoModel
import PluginHost
import Synchronization

/// The place of a library's files: a folder of this machine, or a backend.
enum FileSource: Sendable {
  /// The broker opens files itself.
  case folder(LibraryRoot)
  /// The backend writes their bytes into a pipe.
  case backend(PluginStorage, PartReading)

  /// Whether a read fetches the file from elsewhere.
  var isFar: Bool { if case .backend = self { true } else { false } }

  /// Backoff of an interrupted transfer, by the number of attempts in a row without a byte. A
  /// restarted server is back after a moment.
  private static let pauses: [Duration] = [.milliseconds(100), .milliseconds(500), .seconds(1), .seconds(2)]
  /// Number of times in a row that a storage may end early before the file counts as shorter than
  /// listed.
  private static let vainEnds = 2
  private static let attempts = 16
  /// Timeout for the next bytes of a remote file.
  static let patience = PluginLimits.byteDeadline
  /// Timeout for the first bytes of a remote file.
  static let firstPatience = PluginLimits.firstByteDeadline

  /// An immutable copy of one file. Blocks, so it is called on a worker only.
  ///
  /// - Parameters:
  /// - size: Listed size in bytes. A remote file must have exactly this size, because a server that
  ///   ends early would otherwise pass as the file's end.
  /// - digest: Known digest, which decides if the file's state does not match.
  /// - memory: The copy's share of the memory for copies.
  /// - planner: Plans the copy's cleaning; nil: it has the file's bytes.
  /// - progress: Gets the number of bytes that arrived, for local files 0; false cancels.
  /// - Throws: `changedWhileReading` if another file is there by now; `sourceFailed` if a storage
  ///   says that fewer bytes are all.
  func copy(
    _ locator: String, contentVersion: String, size: Int64, digest: [UInt8]? = nil, limitBytes: Int,
    hasher: SealedCopy.Hasher? = nil,
    memory: SharedAllowance.Share? = nil, cleaned planner: SealedCopy.Planner? = nil,
    progress: (Int) -> Bool = { _ in true }
  ) throws(DeliveryError) -> SealedCopy {
    switch self {
    case .folder(let root):
      let file = try root.open(locator)
      // Else the digest decides, which is that of the whole file.
      let early = try Self.isState(contentVersion, of: FileFacts(of: file.descriptor)) ? planner : nil
      let copy = try SealedCopy.copying(
        file, limitBytes: limitBytes, hasher: hasher, memory: memory, cleaned: early
      ) { progress(0) }
      guard try Self.isStill(contentVersion, digest, try FileFacts(of: file.descriptor), copy) else {
        throw .changedWhileReading
      }
      guard let planner, early == nil else { return copy }
      return try copy.cleaned(planner, hasher: hasher) { progress(0) }
    case .backend(let storage, _):
      guard size <= Int64(limitBytes) else { throw .tooLarge }
      var copy = try ArrivingCopy(limitBytes: Int(size))
      var (attempt, vain) = (0, 0)
      while true {
        let before = copy.byteCount
        let transfer = try RunningTransfer(storage, locator, contentVersion: contentVersion, from: before)
        do throws(DeliveryError) {
          try copy.take(from: transfer.reader, first: Self.firstPatience, patience: Self.patience, progress: progress)
        } catch { throw error.code == .tooLarge ? .changedWhileReading : error }
        let failure = try transfer.finish(Self.patience)
        if failure == nil, copy.byteCount == Int(size) {
          if let planner { try copy.clean(planner, isWanted: { progress(copy.byteCount) }) }
          return try copy.seal(hasher: hasher, memory: memory)
        }
        if failure?.code == .notFound { throw .gone }
        attempt += 1
        vain = copy.byteCount > before ? 0 : vain + 1
        // A transfer without a first byte is not repeated: the storage is unreachable, or lacks the
        // file.
        guard copy.byteCount > 0, attempt < Self.attempts, vain < (failure == nil ? Self.vainEnds : Self.pauses.count)
        else {
          throw failure == nil ? .sourceEndedEarly : .unreachable
        }
        try pause(Self.pauses[vain]) { progress(copy.byteCount) }
      }
    }
  }

  private func pause(_ pause: Duration, isWanted: () -> Bool) throws(DeliveryError) {
    let end = MonotonicTime.after(pause)
    while !end.hasPassed {
      guard isWanted() else { throw .readerGone }
      usleep(100_000)
    }
  }

  /// Whether a version describes a file's present state.
  static func isState(_ contentVersion: String, of facts: FileFacts) -> Bool {
    [facts.inode, 0].contains { inode in
      contentVersion
        == ItemFile.contentVersion(
          size: facts.byteCount, modifiedSeconds: facts.modifiedSeconds, nanoseconds: Int64(facts.modifiedFraction),
          inode: inode)
    }
  }

  /// Whether a local file is still the listed one. The facts are from after the copy.
  private static func isStill(
    _ contentVersion: String, _ digest: [UInt8]?, _ facts: FileFacts, _ copy: SealedCopy
  ) throws(DeliveryError) -> Bool {
    if isState(contentVersion, of: facts) { return true }
    // A file system may number its files anew, and a backend may have versions of its own. Then the
    // bytes decide.
    guard let digest else { return !ItemFile.isFileState(contentVersion) }
    return try copy.withBytes(LibraryFiles.digest) == digest
  }

  /// Files that exist and cannot be read, with the reason. Empty for remote sources, whose state is
  /// unknown before a read. Blocks, so it is called on a worker only.
  /// - Throws: If no file can be examined.
  func refused(_ locators: [String]) throws(DeliveryError) -> [(locator: String, error: DeliveryError)] {
    guard case .folder(let root) = self else { return [] }
    return try root.refused(locators)
  }

  /// Whether a path must not be named to the library's owner. Blocks, so it is called on a worker
  /// only.
  func hides(_ locator: String) -> Bool {
    guard case .folder(let root) = self else { return false }
    return root.hides(locator)
  }

  /// Folders of files that were refused as hard links, and are no longer. Blocks, so it is called
  /// on a worker only.
  func news(ofHardLinked locators: [String]) -> StorageNews {
    guard !locators.isEmpty, let refused = try? refused(locators) else { return .nothing }
    let still = Set(refused.lazy.map { ExactText($0.locator) })
    let folders = locators.filter { !still.contains(ExactText($0)) }.map { StorageFolder(of: $0) }
    return folders.isEmpty ? .nothing : .folders(StorageFolder.reduced(folders))
  }

  /// Whether no file is at a locator; false if that is unknown. Blocks, so it is called on a worker
  /// only.
  func isFree(_ locator: String) -> Bool {
    guard case .folder(let root) = self else { return false }
    do throws(DeliveryError) {
      _ = try root.open(locator)
      return false
    } catch { return error.code == .notFound }
  }

  /// Whether another file is at a locator, or in a remote storage none. Blocks, and reads a file
  /// whose state does not decide; of a remote one, a byte.
  /// - Throws: If that is unknown; `notFound` if a local file is missing.
  func isReplaced(
    _ locator: String, contentVersion: String, size: Int64, digest: [UInt8]?, limitBytes: Int
  ) throws(DeliveryError) -> Bool {
    if case .backend(let storage, let parts) = self {
      return try Self.isReplaced(
        locator, contentVersion: contentVersion, size: size, in: storage, readsRanges: parts.isDeclared)
    }
    do throws(DeliveryError) {
      if size > ServiceLimits.copiedBytes {
        _ = try openInPlace(locator, contentVersion: contentVersion, size: size)
        return false
      }
      _ = try copy(locator, contentVersion: contentVersion, size: size, digest: digest, limitBytes: limitBytes)
      return false
    } catch {
      guard error.code == .changedWhileReading else { throw error }
      return true
    }
  }

  /// A storage fails a read of a changed file, at its end at the latest, so reading one byte is
  /// enough.
  private static func isReplaced(
    _ locator: String, contentVersion: String, size: Int64, in storage: PluginStorage, readsRanges: Bool
  ) throws(DeliveryError) -> Bool {
    guard size > 0 else { return false }
    var copy = try ArrivingCopy(limitBytes: 1)
    let transfer = try RunningTransfer(
      storage, locator, contentVersion: contentVersion, from: readsRanges ? 0 : Int(size) - 1,
      length: readsRanges ? 1 : nil)
    do throws(DeliveryError) {
      try copy.take(from: transfer.reader, first: firstPatience, patience: patience) { _ in true }
    } catch {
      guard error.code == .tooLarge else { throw error }
      return true
    }
    if let failure = try transfer.finish(patience) {
      guard failure.code == .notFound else { throw .unreachable }
      return true
    }
    return copy.byteCount != 1
  }

  /// Reads ranges of a remote file. Blocks, so it is called on a worker only.
  func fill(_ copy: PartialCopy, _ ranges: [Range<Int>], of locator: String, contentVersion: String)
    throws(DeliveryError)
  {
    guard case .backend(let storage, let parts) = self, parts.works else { throw .unreachable }
    // Begun together, because the start of a transfer takes longer than so few bytes.
    var transfers: [RunningTransfer] = []
    for range in ranges {
      transfers.append(
        try RunningTransfer(
          storage, locator, contentVersion: contentVersion, from: range.lowerBound, length: range.count))
    }
    for (range, transfer) in zip(ranges, transfers) {
      // The storage's failure explains more than the missing bytes.
      let taken = Result { () throws(DeliveryError) in
        try copy.take(range, from: transfer.reader, patience: Self.firstPatience)
      }
      if case .failure(let error) = taken, error.code != .changedWhileReading { throw error }
      if let failure = try transfer.finish(Self.patience) { throw parts.told(failure) }
      try taken.get()
    }
  }

  /// Whether facts of remote files can be read without all their bytes.
  var readsRanges: Bool { if case .backend(_, let parts) = self { parts.works } else { false } }
}

/// Whether a storage reads parts of files. It declares so, but may refuse after it asked its
/// server.
final class PartReading: Sendable {
  let isDeclared: Bool
  private let refused = Atomic(false)

  init(isDeclared: Bool) { self.isDeclared = isDeclared }

  /// After the first refusal files are read in full, until the storage is opened again.
  var works: Bool { isDeclared && !refused.load(ordering: .relaxed) }

  func told(_ failure: StorageFailure) -> DeliveryError {
    if failure.code == .unsupported { refused.store(true, ordering: .relaxed) }
    return failure.code == .notFound ? .gone : .unreachable
  }
}

struct InlinePiece: Sendable {
  let bytes: [UInt8]
  let wholeByteCount: Int64

  static func part(of copy: SealedCopy, offset: Int64, length: Int64) -> Result<InlinePiece, BrokerError> {
    Result { () throws(DeliveryError) in
      InlinePiece(
        bytes: try InlineReader.read(copy, offset: offset, length: length), wholeByteCount: Int64(copy.byteCount))
    }.mapError { BrokerError(delivery: $0) }
  }
}
