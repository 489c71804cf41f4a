/// Where an asset's fields lie in memory. Good until the catalogue's next `replace`; never stored, never sent.
package struct Position: Hashable, Sendable {
  let slot: UInt32
  init(_ slot: UInt32) { self.slot = slot }
}
