/// Writes a catalogue's parts one behind the other, each aligned to eight bytes, in the machine's
/// byte order. The bytes are only read on the same machine.
struct SlabWriter: ~Copyable {
  /// Bytes of one call of the sink.
  static let pieceBytes = 1 << 18

  private var piece: [UInt8] = []
  private let sink: (UnsafeRawBufferPointer) -> Bool
  /// Whether the sink took everything so far.
  private(set) var isWhole = true

  /// - Parameter sink: Takes pieces of `pieceBytes`, the last one shorter; false if it could not.
  init(to sink: @escaping (UnsafeRawBufferPointer) -> Bool) {
    self.sink = sink
    piece.reserveCapacity(Self.pieceBytes)
  }

  mutating func put(_ word: UInt64) {
    withUnsafeBytes(of: word) { append($0) }
  }

  mutating func put(_ low: Int, _ high: Int) {
    put(UInt64(UInt32(truncatingIfNeeded: low)) | UInt64(UInt32(truncatingIfNeeded: high)) << 32)
  }

  mutating func put<Element: BitwiseCopyable>(_ values: UnsafeBufferPointer<Element>) {
    append(UnsafeRawBufferPointer(values))
    let rest = values.count * MemoryLayout<Element>.stride % 8
    if rest > 0 { withUnsafeBytes(of: UInt64(0)) { append(UnsafeRawBufferPointer(rebasing: $0[rest...])) } }
  }

  mutating func put<Element: BitwiseCopyable>(_ values: [Element]) { values.withUnsafeBufferPointer { put($0) } }

  consuming func finish() -> Bool {
    if !piece.isEmpty { flush() }
    return isWhole
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.pieceBytes - piece.count)
      piece.append(contentsOf: UnsafeRawBufferPointer(rebasing: part))
      rest = rest.dropFirst(part.count)
      if piece.count == Self.pieceBytes { flush() }
    }
  }

  private mutating func flush() {
    isWhole = isWhole && piece.withUnsafeBytes(sink)
    piece.removeAll(keepingCapacity: true)
  }
}
