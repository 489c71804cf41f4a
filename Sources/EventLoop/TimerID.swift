/// The identifier of one scheduled timer; never reused.
package struct TimerID: Sendable, Hashable {
  let slot: Int
  let generation: UInt64
}
