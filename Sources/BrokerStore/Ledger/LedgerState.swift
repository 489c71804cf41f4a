import Broker
import Cryptography

/// Where one library's ledger stands, as its writer keeps it.
struct LedgerState {
  /// The oldest entry that is kept, and the next one to come; numbers from 1.
  var first: Int64
  var next: Int64
  /// Seals all entries so far.
  var head: [UInt8]
  var chain: LedgerChain
}

/// Whose totals. The library by its number, which no other one ever gets.
struct DeliveryKey: Hashable {
  var library: Int64
  var app: AppIdentifier
}
