import Broker
import Delivery
import Indexer
import Monitor

/// Bytes that an app sent for a new asset, not yet copied.
enum HandedBytes {
  case descriptor(HandedDescriptor)
  case sent(SentBytes)
}

/// An asset that a change request will create. Its bytes are copied and its facts are read.
struct ComingAsset: Sendable {
  let name: String
  let copy: SealedCopy
  let facts: ItemFacts
  /// Counts the bytes as long as the copy exists.
  let share: UploadQuota.Share
}
