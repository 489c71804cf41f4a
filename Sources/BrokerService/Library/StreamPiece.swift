import Delivery
import Synchronization

/// The buffered piece of a stream whose file is too large to be copied.
final class StreamPiece: Sendable {
  /// Bytes of a piece. Each unread stream holds one.
  static let bytes: Int64 = 128 << 10

  private struct Held {
    var start: Int64 = 0
    var bytes: [UInt8]
  }

  private let held: Mutex<Held>

  init(_ first: [UInt8]) { held = Mutex(Held(bytes: first)) }

  func put(_ bytes: [UInt8], from start: Int64) { held.withLock { $0 = Held(start: start, bytes: bytes) } }

  /// Reads from the buffered piece; throws `notCached` outside of it.
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
