import Broker
import Delivery
import Indexer
import Monitor

/// Bytes that an app handed over to become an asset, taken over by nobody yet.
enum HandedBytes {
  case descriptor(HandedDescriptor)
  case sent(SentBytes)
}

/// An asset that a change request is to create, as far as it has come: its bytes are taken over and looked into.
struct ComingAsset: Sendable {
  let name: String
  let copy: SealedCopy
  let facts: ItemFacts
  /// As long as the copy is held.
  let share: ComingBytes.Share
}
