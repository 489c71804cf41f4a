import UnixSocket

/// Descriptors that came beside a connection's calls, and beside which: a call never gets those of
/// another one.
///
/// The kernel ends a reading behind the message that brought descriptors, so that they belong to
/// calls of which bytes were read with them: where a client sends each call as a message of its
/// own, as all do, to the last one.
struct CameDescriptors: ~Copyable {
  /// Descriptors of one reading: the calls of which it had bytes, counted from the connection's first one.
  private struct Batch {
    let calls: ClosedRange<UInt64>
    var count: Int
  }

  private var descriptors = OwnedDescriptors()
  private var batches: [Batch] = []

  init() {}

  /// How many wait for calls after this one.
  func count(after call: UInt64) -> Int { batches.reduce(0) { $0 + ($1.calls.upperBound > call ? $1.count : 0) } }

  mutating func append(_ came: consuming OwnedDescriptors, beside calls: ClosedRange<UInt64>) {
    guard !came.isEmpty else { return }
    batches.append(Batch(calls: calls, count: came.count))
    descriptors.append(contentsOf: came)
  }

  /// The next one that came beside this call, or beside one before it in the same reading that did not take it.
  mutating func take(for call: UInt64) -> FileDescriptor? {
    guard let first = batches.first, first.calls.contains(call) else { return nil }
    if first.count == 1 { batches.removeFirst() } else { batches[0].count -= 1 }
    return descriptors.takeFirst()
  }

  /// Takes out those that only calls up to this one could take.
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
