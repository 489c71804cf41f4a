import Broker
import Limits
import UnixSocket
import Varlink

/// Replies that the kernel has not taken yet, in order, each with the permit under which it may leave.
///
/// A byte has left when the socket took it; until then it is ours, and a revocation reaches it here.
struct Outbox {
  /// One whole message.
  struct Parcel {
    var bytes: [UInt8]
    /// How many of the bytes have left.
    var sent = 0
    /// Goes with the first byte.
    var descriptors: SharedDescriptors?
    /// Nil: tells nothing that a grant could hide.
    var permit: Permit?
    /// More replies to the same call follow.
    var continues = false
  }

  private(set) var parcels: [Parcel] = []
  private(set) var queuedBytes = 0
  /// Replies that wait with descriptors.
  private(set) var queuedDescriptors = 0

  var isEmpty: Bool { parcels.isEmpty }

  /// No more calls are to be begun until some of this has left.
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

  /// Replaces every reply that may no longer leave by `refusal`. Answers how many, or nil where the
  /// first part of one has left already, or more replies of its call would follow a refusal: the
  /// connection has to close then, and an observer resumes from its change token.
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
