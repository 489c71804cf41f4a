import CLinux
import Delivery
import Glibc
import Monitor
import UnixSocket

/// A storage's bytes on their way through a pipe. Freeing this object closes the pipe, which
/// cancels the transfer.
final class RunningTransfer {
  let reader: FileDescriptor
  private let outcome = Monitor<Result<Void, StorageFailure>?>(nil)

  /// - Parameter length: Bytes to read; nil: to the file's end.
  init(
    _ storage: PluginStorage, _ locator: String, contentVersion: String, from start: Int, length: Int? = nil
  ) throws(DeliveryError) {
    var ends: (reader: Int32, writer: Int32) = (-1, -1)
    guard clinux_output_pipe(&ends.reader, &ends.writer) == 0 else { throw .unreachable }
    reader = FileDescriptor(owning: ends.reader)
    let (writer, outcome) = (ends.writer, outcome)
    let (offset, count) = (Int64(start), length.map { Int64($0) })
    // The backend's call blocks until all bytes are written, so they are read concurrently.
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
  }

  /// Waits until the backend is done, after the last byte.
  /// - Returns: The failure; nil if all bytes arrived.
  func finish(_ patience: Duration) throws(DeliveryError) -> StorageFailure? {
    guard let result = outcome.wait(until: .after(patience), for: { $0 }) else { throw .unreachable }
    if case .failure(let failure) = result { return failure }
    return nil
  }
}
