import PhotoModel

/// Which slots have which property, kept up with every change: queries AND these.
struct Attributes: Sendable {
  /// Exists, hidden or not.
  private(set) var living = PositionSet()
  /// Neither hidden, never-share nor trashed: what a full view shows.
  private(set) var shareable = PositionSet()
  /// Shareable and not cloud-shared: the most that a limited view shows.
  private(set) var limited = PositionSet()
  private(set) var located = PositionSet()
  private var types = [PositionSet](repeating: PositionSet(), count: 4)
  private var flags = [PositionSet](repeating: PositionSet(), count: AssetFlags.bits)
  private var subtypes = [PositionSet](repeating: PositionSet(), count: 32)

  func type(_ type: MediaType) -> PositionSet { types[Int(type.rawValue & 3)] }
  func flag(_ flag: AssetFlags) -> PositionSet { flags[flag.rawValue.trailingZeroBitCount] }
  func subtype(bit: Int) -> PositionSet { subtypes[bit] }

  init() {}

  /// Of a whole library at once.
  init(_ columns: Columns) {
    var start: UInt32 = 0
    var parts = [[PositionChunk]](repeating: [], count: Self.setCount)
    while start < columns.count {
      let end = start + UInt32(min(PositionChunk.width, Int(columns.count - start)))
      var words = [BitWords?](repeating: nil, count: Self.setCount)
      for slot in start..<end {
        Self.forEachSet(of: columns.traits(slot)) { set in
          if words[set] == nil { words[set] = BitWords() }
          words[set]?.set(UInt16(truncatingIfNeeded: slot))
        }
      }
      for set in 0..<Self.setCount { parts[set].append(words[set].map(PositionChunk.init(owning:)) ?? .absent) }
      start = end
    }
    for set in 0..<Self.setCount { mutate(set) { $0 = PositionSet(chunks: parts[set]) } }
  }

  /// Nil before: inserted. Nil after: removed.
  mutating func change(_ slot: UInt32, from before: Traits?, to after: Traits?) {
    var (old, new) = (Set<Int>(), Set<Int>())
    if let before { Self.forEachSet(of: before) { old.insert($0) } }
    if let after { Self.forEachSet(of: after) { new.insert($0) } }
    for set in old.subtracting(new) { mutate(set) { $0.remove(slot) } }
    for set in new.subtracting(old) { mutate(set) { $0.insert(slot) } }
  }

  private static let setCount = 4 + 4 + AssetFlags.bits + 32

  /// The sets by number, so that building and changing agree on who belongs where.
  private static func forEachSet(of traits: Traits, _ body: (Int) -> Void) {
    body(0)
    if traits.flags.isDisjoint(with: [.hidden, .neverShare, .trashed]) {
      body(1)
      if !traits.flags.contains(.cloudShared) { body(2) }
    }
    if traits.hasLocation { body(3) }
    body(4 + Int(traits.mediaType.rawValue & 3))
    var flags = traits.flags.rawValue
    while flags != 0 {
      body(8 + flags.trailingZeroBitCount)
      flags &= flags - 1
    }
    var subtypes = traits.subtypes.rawValue
    while subtypes != 0 {
      body(8 + AssetFlags.bits + subtypes.trailingZeroBitCount)
      subtypes &= subtypes - 1
    }
  }

  private mutating func mutate(_ set: Int, _ body: (inout PositionSet) -> Void) {
    switch set {
    case 0: body(&living)
    case 1: body(&shareable)
    case 2: body(&limited)
    case 3: body(&located)
    case ..<8: body(&types[set - 4])
    case ..<(8 + AssetFlags.bits): body(&flags[set - 8])
    default: body(&subtypes[set - 8 - AssetFlags.bits])
    }
  }
}
