import Broker
import Limits
import UnixSocket
import Varlink

/// Replies that the kernel has not taken yet, in order, each with its permit. A revocation
/// withdraws them here; a byte that the socket took has left.
struct Outbox {
  struct Parcel {
    var bytes: [UInt8]
    /// Number of bytes that the socket took.
    var sent = 0
    /// Sent with the first byte.
    var descriptors: SharedDescriptors?
    /// Nil for a reply without anything that a grant could hide.
    var permit: Permit?
    var continues = false
  }

  private(set) var parcels: [Parcel] = []
  private(set) var queuedBytes = 0
  private(set) var queuedDescriptors = 0

  var isEmpty: Bool { parcels.isEmpty }

  /// Whether no further call may begin until the socket takes more.
  var isFull: Bool { queuedBytes >= WireLimits.queuedBytes || queuedDescriptors >= ServiceLimits.queuedDescriptors }

  mutating func append(_ parcel: Parcel) {
    parcels.append(parcel)
    if parcel.descriptors != nil { queuedDescriptors += 1 }
    queuedBytes += parcel.bytes.count - parcel.sent
  }

  mutating func took(_ count: Int) {
    parcels[0].sent += count
    queuedBytes -= count
    if parcels[0].descriptors != nil { queuedDescriptors -= 1 }
    parcels[0].descriptors = nil
    if parcels[0].sent == parcels[0].bytes.count { parcels.removeFirst() }
  }

  /// Replaces every reply whose permit ended by `refusal`, and returns their number. Nil: the
  /// socket took a part of one, or more replies would follow a refusal. The connection has to close
  /// then, and an observer resumes from its change token.
  mutating func withdraw(where isWithdrawn: (Permit) -> Bool, refusal: [UInt8]) -> Int? {
    var count = 0
    for index in parcels.indices {
      guard let permit = parcels[index].permit, isWithdrawn(permit) else { continue }
      if parcels[index].sent > 0 || parcels[index].continues { return nil }
      queuedBytes += refusal.count - parcels[index].bytes.count
      if parcels[index].descriptors != nil { queuedDescriptors -= 1 }
      parcels[index] = Parcel(bytes: refusal)
      count += 1
    }
    return count
  }
}
