import Broker
import Cryptography

/// The position of one library's ledger, cached by its writer.
struct LedgerState {
  /// The numbers of the oldest entry and of the next one; they start at 1.
  var first: Int64
  var next: Int64
  /// The seal of the entries that were deleted for room.
  var anchor: [UInt8]
  /// The seal of all entries so far.
  var head: [UInt8]
  var chain: LedgerChain
}

/// The key of a total of deliveries. A library's number is never given to another one.
struct DeliveryKey: Hashable {
  var library: Int64
  var app: AppIdentifier
}
