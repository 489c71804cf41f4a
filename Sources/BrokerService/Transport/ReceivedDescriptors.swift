import UnixSocket

/// Received descriptors, with the calls that they came with. A call never gets another call's
/// descriptors.
///
/// The kernel ends a read behind the message that carried descriptors. So they belong to the calls
/// with bytes in that read: to the last one, if the client sends each call as a message of its own,
/// as all do.
struct ReceivedDescriptors: ~Copyable {
  /// Descriptors of one read, and the calls with bytes in it, counted from the connection's first
  /// call.
  private struct Batch {
    let calls: ClosedRange<UInt64>
    var count: Int
  }

  private var descriptors = OwnedDescriptors()
  private var batches: [Batch] = []

  init() {}

  /// Number of descriptors for calls after this one.
  func count(after call: UInt64) -> Int { batches.reduce(0) { $0 + ($1.calls.upperBound > call ? $1.count : 0) } }

  mutating func append(_ came: consuming OwnedDescriptors, beside calls: ClosedRange<UInt64>) {
    guard !came.isEmpty else { return }
    batches.append(Batch(calls: calls, count: came.count))
    descriptors.append(contentsOf: came)
  }

  /// The next descriptor of this call, or of an earlier call of the same read that left it.
  mutating func take(for call: UInt64) -> FileDescriptor? {
    guard let first = batches.first, first.calls.contains(call) else { return nil }
    if first.count == 1 { batches.removeFirst() } else { batches[0].count -= 1 }
    return descriptors.takeFirst()
  }

  /// Removes the descriptors that only calls up to this one could take.
  mutating func drop(upTo call: UInt64) -> OwnedDescriptors {
    var dropped = OwnedDescriptors()
    while let first = batches.first, first.calls.upperBound <= call {
      dropped.append(contentsOf: descriptors.takeFirst(first.count))
      batches.removeFirst()
    }
    return dropped
  }

  mutating func takeAll() -> OwnedDescriptors {
    batches = []
    return descriptors.takeAll()
  }
}
