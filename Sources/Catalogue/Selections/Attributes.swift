import PhotoModel

/// Sets of slots by property, updated with every change. Queries AND them.
struct Attributes: Equatable, Sendable {
  private var sets = [PositionSet](repeating: PositionSet(), count: Self.setCount)

  /// Existing assets, hidden or missing ones included.
  var living: PositionSet { sets[0] }
  /// Existing assets that are not missing: the owner's view.
  var present: PositionSet { sets[Self.setCount - 1] }
  /// Neither hidden, never-share, trashed nor missing: the content of a full view.
  var shareable: PositionSet { sets[1] }
  /// Shareable and not cloud-shared: the most that a limited view shows.
  var limited: PositionSet { sets[2] }
  var located: PositionSet { sets[3] }
  /// Existing assets with another date for apps from which locations are withheld.
  var shifted: PositionSet { sets[Self.setCount - 2] }

  func type(_ type: MediaType) -> PositionSet { sets[4 + Int(type.rawValue & 3)] }
  func flag(_ flag: AssetFlags) -> PositionSet { sets[8 + flag.rawValue.trailingZeroBitCount] }
  func subtype(bit: Int) -> PositionSet { sets[8 + AssetFlags.bits + bit] }

  init(_ columns: Columns) {
    var parts = [[PositionChunk]](repeating: [], count: Self.setCount)
    for start in stride(from: 0, to: Int(columns.count), by: PositionChunk.width) {
      let slots = start..<min(start + PositionChunk.width, Int(columns.count))
      let memberships = slots.map { Self.membership(columns.traits(UInt32($0))) }
      let used = memberships.reduce(0, |)
      for set in 0..<Self.setCount {
        guard used & (1 << UInt64(set)) != 0 else {
          parts[set].append(.absent)
          continue
        }
        let words = BitWords()
        for (low, bits) in memberships.enumerated() {
          words.words[low >> 6] |= (bits >> UInt64(set) & 1) << UInt64(low & 63)
        }
        parts[set].append(PositionChunk(owning: words))
      }
    }
    sets = parts.map(PositionSet.init(chunks:))
  }

  /// A nil `before` inserts, a nil `after` removes.
  mutating func change(_ slot: UInt32, from before: Traits?, to after: Traits?) {
    let (old, new) = (before.map(Self.membership) ?? 0, after.map(Self.membership) ?? 0)
    var changed = old ^ new
    while changed != 0 {
      let set = changed.trailingZeroBitCount
      sets[set].set(slot, to: new & (1 << UInt64(set)) != 0)
      changed &= changed - 1
    }
  }

  func encode(to writer: inout SlabWriter) {
    for set in sets { set.encode(to: &writer) }
  }

  init(decoding reader: inout SlabReader, slots: UInt32) throws(CatalogueError) {
    for index in sets.indices { sets[index] = try PositionSet(decoding: &reader, below: slots) }
  }

  private static let setCount = 4 + 4 + AssetFlags.bits + 32 + 2

  /// The sets of an asset, a bit each. Used for both building and changing.
  private static func membership(_ traits: Traits) -> UInt64 {
    var bits: UInt64 = 1
    if traits.flags.isDisjoint(with: [.hidden, .neverShare, .trashed, .missing]) {
      bits |= traits.flags.contains(.cloudShared) ? 2 : 6
    }
    if !traits.flags.contains(.missing) { bits |= 1 << UInt64(setCount - 1) }
    if traits.isShifted { bits |= 1 << UInt64(setCount - 2) }
    if traits.hasLocation { bits |= 8 }
    bits |= 16 << UInt64(traits.mediaType.rawValue & 3)
    bits |= UInt64(traits.flags.rawValue) << 8
    return bits | UInt64(traits.subtypes.rawValue) << UInt64(8 + AssetFlags.bits)
  }
}
