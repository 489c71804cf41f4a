/// Names one scheduled timer; never names another one later.
package struct TimerID: Sendable, Hashable {
  let slot: Int
  let generation: UInt64
}
