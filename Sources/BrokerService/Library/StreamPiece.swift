import Delivery
import Synchronization

/// What is at hand of a file that is too large to be copied, for the stream that it is sent
/// through: one piece at a time.
final class StreamPiece: Sendable {
  /// Bytes of a piece. Each stream that nobody reads holds one.
  static let bytes: Int64 = 128 << 10

  private struct Held {
    var start: Int64 = 0
    var bytes: [UInt8]
  }

  private let held: Mutex<Held>

  /// - Parameter first: from the file's beginning.
  init(_ first: [UInt8]) { held = Mutex(Held(bytes: first)) }

  func put(_ bytes: [UInt8], from start: Int64) { held.withLock { $0 = Held(start: start, bytes: bytes) } }

  /// Gives what is at hand; what is not has to be put first.
  var source: PipeStream.Source {
    { [self] (offset, buffer) throws(DeliveryError) in
      let count = held.withLock { held in
        let place = Int(clamping: offset - held.start)
        guard held.bytes.indices.contains(place) else { return 0 }
        let count = min(buffer.count, held.bytes.count - place)
        held.bytes.withUnsafeBytes {
          buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[place..<place + count]))
        }
        return count
      }
      guard count > 0 else { throw .notCached }
      return count
    }
  }
}
