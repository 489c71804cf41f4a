/// Gives each restriction a number greater than all before, across grants and restarts.
struct EpochCounter {
  private(set) var latest: UInt64

  init(atLeast floor: UInt64) { latest = floor }

  mutating func next() -> UInt64 {
    latest &+= 1
    return latest
  }
}
