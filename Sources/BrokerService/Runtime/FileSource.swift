import Delivery
import Glibc
import Limits
import Monitor
import PhotoModel
import PluginHost
import Synchronization

/// Where a library's bytes are: in a folder of this machine, or wherever its backend has them.
enum FileSource: Sendable {
  /// The broker opens files itself.
  case folder(LibraryRoot)
  /// The backend writes them into a pipe.
  case backend(any LibraryStorage, PartReading)

  /// Whether looking into a file has it fetched.
  var isFar: Bool { if case .backend = self { true } else { false } }

  /// How long a broken transfer waits before it is taken up again, each time in a row that no byte
  /// comes: a server that is started anew is there again in a moment.
  private static let pauses: [Duration] = [.milliseconds(100), .milliseconds(500), .seconds(1), .seconds(2)]
  /// How often in a row a storage may say that fewer bytes than were listed are all.
  private static let vainEnds = 2
  /// Transfers of one file, whatever came of each.
  private static let attempts = 16
  /// How long to wait for the next byte from afar.
  static let patience = PluginLimits.byteDeadline
  /// How long to wait for the first one.
  static let firstPatience = PluginLimits.firstByteDeadline

  /// An immutable copy of one file. Blocks: on a worker only.
  ///
  /// - Parameters:
  ///   - size: Bytes of the file, as it was listed. Of a far one as many come, or none: a server
  ///     that says nothing of how many it sends may end early, and whoever passes on what it sent
  ///     takes that for the file's end.
  ///   - digest: Of the bytes, where it is known: what decides where a file's state does not.
  ///   - memory: What the copy has of the memory for copies.
  ///   - progress: Told how many bytes have come from afar, of a near file none; false ends it.
  /// - Throws: `changedWhileReading` where something else lies there by now: a name is all that a
  ///   renamed file left behind; `sourceFailed` where a storage says that fewer bytes are all.
  func copy(
    _ locator: String, contentVersion: String, size: Int64, digest: [UInt8]? = nil, limitBytes: Int,
    hasher: SealedCopy.Hasher? = nil,
    memory: SharedAllowance.Share? = nil, progress: (Int) -> Bool = { _ in true }
  ) throws(DeliveryError) -> SealedCopy {
    switch self {
    case .folder(let root):
      let file = try root.open(locator)
      let copy = try SealedCopy.copying(file, limitBytes: limitBytes, hasher: hasher, memory: memory) { progress(0) }
      guard try Self.isStill(contentVersion, digest, try FileFacts(of: file.descriptor), copy) else {
        throw .changedWhileReading
      }
      return copy
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
        if failure == nil, copy.byteCount == Int(size) { return try copy.seal(hasher: hasher, memory: memory) }
        if failure?.code == .notFound { throw .gone }
        attempt += 1
        vain = copy.byteCount > before ? 0 : vain + 1
        // What never began is not waited for: the storage is away, or has nothing of it.
        guard copy.byteCount > 0, attempt < Self.attempts, vain < (failure == nil ? Self.vainEnds : Self.pauses.count)
        else {
          throw failure == nil ? .sourceEndedEarly : .unreachable
        }
        try pause(Self.pauses[vain]) { progress(copy.byteCount) }
      }
    }
  }

  /// Waits, as long as somebody else does.
  private func pause(_ pause: Duration, isWanted: () -> Bool) throws(DeliveryError) {
    let end = MonotonicTime.after(pause)
    while !end.hasPassed {
      guard isWanted() else { throw .readerGone }
      usleep(100_000)
    }
  }

  /// Whether a file is as a version says that the system sees it.
  static func isState(_ contentVersion: String, of facts: FileFacts) -> Bool {
    [facts.inode, 0].contains { inode in
      contentVersion
        == ItemFile.contentVersion(
          size: facts.byteCount, modifiedSeconds: facts.modifiedSeconds, nanoseconds: Int64(facts.modifiedFraction),
          inode: inode)
    }
  }

  /// Whether a file of a folder is still what was listed there. The facts are those after the copy was made.
  private static func isStill(
    _ contentVersion: String, _ digest: [UInt8]?, _ facts: FileFacts, _ copy: SealedCopy
  ) throws(DeliveryError) -> Bool {
    if isState(contentVersion, of: facts) { return true }
    // A file system may number its files anew, and a backend have versions of its own: the bytes decide.
    guard let digest else { return !ItemFile.isFileState(contentVersion) }
    return try copy.withBytes(LibraryFiles.digest) == digest
  }

  /// Files that are there and cannot be read, and why. Of far ones nothing is known before they are
  /// read. Blocks: on a worker only.
  /// - Throws: where none can be looked at.
  func refused(_ locators: [String]) throws(DeliveryError) -> [(locator: String, error: DeliveryError)] {
    guard case .folder(let root) = self else { return [] }
    return try root.refused(locators)
  }

  /// Whether a file or folder is not to be named to the library's owner. Blocks: on a worker only.
  func hides(_ locator: String) -> Bool {
    guard case .folder(let root) = self else { return false }
    return root.hides(locator)
  }

  /// Where files are that were refused for a second name, and are not any more. Blocks: on a worker only.
  func news(ofHardLinked locators: [String]) -> StorageNews {
    guard !locators.isEmpty, let refused = try? refused(locators) else { return .nothing }
    let still = Set(refused.lazy.map { ExactText($0.locator) })
    let folders = locators.filter { !still.contains(ExactText($0)) }.map { StorageFolder(of: $0) }
    return folders.isEmpty ? .nothing : .folders(StorageFolder.reduced(folders))
  }

  /// Whether nothing lies at a locator; false where that cannot be seen. Blocks: on a worker only.
  func isFree(_ locator: String) -> Bool {
    guard case .folder(let root) = self else { return false }
    do throws(DeliveryError) {
      _ = try root.open(locator)
      return false
    } catch { return error.code == .notFound }
  }

  /// Whether something else than what was listed lies at a locator, or of far files nothing.
  /// Blocks, and reads the file where its state does not tell; a far one's byte.
  /// - Throws: where that cannot be seen; `notFound` where nothing is there.
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

  /// A storage fails a reading of what is not as it was listed, at its end at the latest: a byte is enough to ask.
  private static func isReplaced(
    _ locator: String, contentVersion: String, size: Int64, in storage: any LibraryStorage, readsRanges: Bool
  ) throws(DeliveryError) -> Bool {
    // Nothing could be read, so nothing is asked.
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

  /// Some of a far file's bytes. Blocks: on a worker only.
  func fill(_ copy: PartialCopy, _ ranges: [Range<Int>], of locator: String, contentVersion: String)
    throws(DeliveryError)
  {
    guard case .backend(let storage, let parts) = self, parts.works else { throw .unreachable }
    // Begun together: a far storage takes longer to begin than to send as little as this.
    var transfers: [RunningTransfer] = []
    for range in ranges {
      transfers.append(
        try RunningTransfer(
          storage, locator, contentVersion: contentVersion, from: range.lowerBound, length: range.count))
    }
    for (range, transfer) in zip(ranges, transfers) {
      // Why it broke says more than that fewer bytes came than were asked for.
      let taken = Result { () throws(DeliveryError) in
        try copy.take(range, from: transfer.reader, patience: Self.firstPatience)
      }
      if case .failure(let error) = taken, error.code != .changedWhileReading { throw error }
      if let failure = try transfer.finish(Self.patience) { throw parts.told(failure) }
      try taken.get()
    }
  }

  /// Whether far files can be looked into without reading all of them.
  var readsRanges: Bool { if case .backend(_, let parts) = self { parts.works } else { false } }
}

/// Whether a storage reads parts of files: it says so, and finds out with the first ones whether its server does.
final class PartReading: Sendable {
  /// What the storage says.
  let isDeclared: Bool
  private let refused = Atomic(false)

  init(isDeclared: Bool) { self.isDeclared = isDeclared }

  /// From the first refusal on files are read as a whole, until the storage is opened anew.
  var works: Bool { isDeclared && !refused.load(ordering: .relaxed) }

  func told(_ failure: StorageFailure) -> DeliveryError {
    if failure.code == .unsupported { refused.store(true, ordering: .relaxed) }
    return failure.code == .notFound ? .gone : .unreachable
  }
}

/// A part of a resource's bytes, and how many the whole has.
struct InlinePiece: Sendable {
  let bytes: [UInt8]
  let wholeByteCount: Int64
}
