/// Place of an asset's fields in memory. Valid until the catalogue's next `replace`; never stored,
/// never sent.
package struct Position: Hashable, Sendable {
  let slot: UInt32
  init(_ slot: UInt32) { self.slot = slot }
}
