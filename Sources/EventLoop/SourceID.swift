/// The identifier of one registration of a descriptor; never reused.
package struct SourceID: Sendable, Hashable {
  /// The slot, with the slot's generation in the upper half.
  let token: UInt64

  init(token: UInt64) { self.token = token }

  init(slot: Int, generation: UInt32) { token = UInt64(generation) << 32 | UInt64(UInt32(truncatingIfNeeded: slot)) }

  var slot: Int { Int(token & 0xFFFF_FFFF) }
  var generation: UInt32 { UInt32(truncatingIfNeeded: token >> 32) }
}
