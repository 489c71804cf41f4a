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
  case backend(any LibraryStorage)

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
    case .backend(let storage):
      var copy = try ArrivingCopy(limitBytes: limitBytes)
      var (attempt, vain) = (0, 0)
      while true {
        let before = copy.byteCount
        guard let failure = try Self.transfer(storage, locator, contentVersion, &copy, progress) else {
          return try copy.seal(hasher: hasher)
        }
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

  /// One transfer, from where the last one ended.
  /// - Returns: Why it broke; nil when all bytes are there.
  private static func transfer(
    _ storage: any LibraryStorage, _ locator: String, _ contentVersion: String, _ copy: inout ArrivingCopy, _ progress: (Int) -> Bool
  ) throws(DeliveryError) -> StorageFailure? {
    var ends: (reader: Int32, writer: Int32) = (-1, -1)
    guard clinux_output_pipe(&ends.reader, &ends.writer) == 0 else { throw .unreachable }
    let reader = FileDescriptor(owning: ends.reader)
    let writer = ends.writer
    let offset = Int64(copy.byteCount)
    let outcome = Monitor<Result<Void, StorageFailure>?>(nil)
    // The backend's call blocks as long as bytes are written; this thread takes them meanwhile.
    let isStarted = DetachedThread.start {
      let result = Result { () throws(StorageFailure) in
        try storage.read(locator, contentVersion: contentVersion, from: offset, into: writer)
      }
      close(writer)
      outcome.change { $0 = result }
    }
    guard isStarted else {
      close(writer)
      throw .unreachable
    }
    // Closing the pipe, which this does at its end, is what ends a transfer that nobody wants any more.
    try copy.take(from: reader, patience: patience, progress: progress)
    guard let result = outcome.wait(until: .after(patience), for: { $0 }) else { throw .unreachable }
    if case .failure(let failure) = result { return failure }
    return nil
  }
}
