import CLinux
import Delivery
import Glibc
import Monitor
import UnixSocket

/// Where a library's bytes are: in a folder of this machine, or wherever its backend has them.
enum FileSource: Sendable {
  /// The broker opens files itself.
  case folder(LibraryRoot)
  /// The backend writes them into a pipe.
  case backend(any LibraryStorage, readsRanges: Bool)

  /// How long a broken transfer waits before it is taken up again, each time in a row that no byte comes: a server that is started
  /// anew is there again in a moment.
  private static let pauseMicroseconds: [UInt32] = [100_000, 500_000, 1_000_000, 2_000_000]
  /// Transfers of one file, whatever came of each.
  private static let attempts = 16
  /// How long to wait for the next byte from afar.
  private static let patience = Duration.seconds(60)

  /// An immutable copy of one file. Blocks: on a worker only.
  ///
  /// - Parameter progress: Told how many bytes have come from afar; false ends it.
  func copy(
    _ locator: String, contentVersion: String, limitBytes: Int, hasher: SealedCopy.Hasher? = nil, progress: (Int) -> Bool = { _ in true }
  ) throws(DeliveryError) -> SealedCopy {
    switch self {
    case .folder(let root):
      return try SealedCopy.copying(try root.open(locator), limitBytes: limitBytes, hasher: hasher)
    case .backend(let storage, _):
      var copy = try ArrivingCopy(limitBytes: limitBytes)
      var (attempt, vain) = (0, 0)
      while true {
        let before = copy.byteCount
        let failure = try Self.transfer(storage, locator, contentVersion, from: before) {
          (reader: consuming FileDescriptor) throws(DeliveryError) in
          try copy.take(from: reader, patience: Self.patience, progress: progress)
        }
        guard let failure else { return try copy.seal(hasher: hasher) }
        if failure.code == .notFound { throw .gone }
        attempt += 1
        vain = copy.byteCount > before ? 0 : vain + 1
        // What never began is not waited for: the storage is away.
        guard copy.byteCount > 0, attempt < Self.attempts, vain < Self.pauseMicroseconds.count, progress(copy.byteCount) else {
          throw .unreachable
        }
        usleep(Self.pauseMicroseconds[vain])
      }
    }
  }

  /// Some of a far file's bytes. Blocks: on a worker only.
  func fill(_ copy: PartialCopy, _ range: Range<Int>, of locator: String, contentVersion: String) throws(DeliveryError) {
    guard case .backend(let storage, true) = self else { throw .unreachable }
    let failure = try Self.transfer(storage, locator, contentVersion, from: range.lowerBound, length: range.count) {
      (reader: consuming FileDescriptor) throws(DeliveryError) in try copy.take(range, from: reader, patience: Self.patience)
    }
    if let failure { throw failure.code == .notFound ? .gone : .unreachable }
  }

  /// Whether far files can be looked into without reading all of them.
  var readsRanges: Bool { if case .backend(_, true) = self { true } else { false } }

  /// One transfer.
  /// - Parameter take: Takes what comes, until its end.
  /// - Returns: Why it broke; nil when all bytes are there.
  private static func transfer(
    _ storage: any LibraryStorage, _ locator: String, _ contentVersion: String, from start: Int, length: Int? = nil,
    _ take: (consuming FileDescriptor) throws(DeliveryError) -> Void
  ) throws(DeliveryError) -> StorageFailure? {
    var ends: (reader: Int32, writer: Int32) = (-1, -1)
    guard clinux_output_pipe(&ends.reader, &ends.writer) == 0 else { throw .unreachable }
    let reader = FileDescriptor(owning: ends.reader)
    let writer = ends.writer
    let (offset, count) = (Int64(start), length.map { Int64($0) })
    let outcome = Monitor<Result<Void, StorageFailure>?>(nil)
    // The backend's call blocks as long as bytes are written; this thread takes them meanwhile.
    let isStarted = DetachedThread.start {
      let result = Result { () throws(StorageFailure) in
        try storage.read(locator, contentVersion: contentVersion, from: offset, length: count, into: writer)
      }
      close(writer)
      outcome.change { $0 = result }
    }
    guard isStarted else {
      close(writer)
      throw .unreachable
    }
    // Closing the pipe, which this does at its end, is what ends a transfer that nobody wants any more.
    try take(reader)
    guard let result = outcome.wait(until: .after(patience), for: { $0 }) else { throw .unreachable }
    if case .failure(let failure) = result { return failure }
    return nil
  }
}
